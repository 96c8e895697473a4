"""From words to trees and graphs: the parser, and how it is trained."""
