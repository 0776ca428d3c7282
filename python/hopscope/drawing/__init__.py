"""Drawing a network: where its nodes go, and the SVG."""
