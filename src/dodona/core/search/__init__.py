"""Search for trees and graphs: greedy, many sentences in lock-step, and with a beam."""
