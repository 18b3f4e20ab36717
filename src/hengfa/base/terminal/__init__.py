"""What all that is printed shares."""
