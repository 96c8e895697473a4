"""Errors of the workbench."""

from __future__ import annotations

from dodona.errors import DodonaError


class AnnotateError(DodonaError, ValueError):
    """A file that cannot be annotated, or a request that the workbench cannot fulfil."""


class ChangeError(AnnotateError):
    """A change that a sentence does not allow, such as a head that it does not have."""


class ConflictError(AnnotateError):
    """A change to a sentence that has changed since it was read; it was not applied."""


class LockedError(AnnotateError):
    """A file that another process is annotating."""
