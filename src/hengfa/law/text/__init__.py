"""Chinese text metrics and the segmentation they stand on."""
