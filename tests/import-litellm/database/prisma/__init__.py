"""Stands in for the client that Prisma would generate from LiteLLM's schema.

Prisma's query engine is a program that only its maker's own server offers, so that it is not to be had from a package
registry. LiteLLM itself is unchanged: it imports this module under the same name, and what it asks of the client is
done on PostgreSQL in tables that its own migrations made. Only what LiteLLM's management calls use is here.
"""

from . import errors
from .client import Prisma
from .fields import Base64, Json

__all__ = ["Base64", "Json", "Prisma", "errors"]
