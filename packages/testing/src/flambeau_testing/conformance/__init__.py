"""The conformance kit: what every device backend must do, as tests of pytest.

    pytest --pyargs flambeau_testing.conformance --device DEVICE [--backend NAME]

Tests are of six kinds: devices, memory, ops, random numbers, errors and training. They ask for
capabilities, never for names of backends. A test that needs a kernel which neither the backend
nor a composition of core provides is skipped, and the summary lists what is missing. Known
failures are listed in a file (`--known-failures`), each with its reason; when one of them passes
after all, the run fails until its line is removed.
"""
