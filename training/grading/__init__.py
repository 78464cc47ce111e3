"""What candidates are believed by, fitted on domains that the trained reader did not see."""
