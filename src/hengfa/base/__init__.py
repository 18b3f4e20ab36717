"""What everything stands on; knows no law and no suite."""
