"""Search and training, greedy and with a beam, for trees and graphs."""
