"""Ways to make one set of parameters out of many. They give the same bits as the TypeScript SDK."""
