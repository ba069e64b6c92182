"""Replacement for the client that Prisma generates from LiteLLM's schema.

Prisma's query engine is a binary that is downloaded from Prisma's server and isn't available from a package registry.
LiteLLM itself is unchanged. It imports this module under the same name, and the module runs its queries on PostgreSQL,
in tables that LiteLLM's migrations created. Only the methods that LiteLLM's management API uses are implemented.
"""

from . import errors
from .client import Prisma
from .fields import Base64, Json

__all__ = ["Base64", "Json", "Prisma", "errors"]
