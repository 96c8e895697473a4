"""Transition systems: states, gold trees and graphs, systems with their oracles, registry."""
