"""From float to int8: calibration, quantisation and the report that compares both."""
