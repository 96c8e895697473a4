"""Parsers into trees and graphs, and their training."""
