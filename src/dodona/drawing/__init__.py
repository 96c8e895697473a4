"""Drawings of dependency trees and graphs: SVG, HTML pages, and text for terminals."""
