const singles = ["items", "additionalProperties", "not"] as const;
const lists = ["anyOf", "oneOf", "allOf", "prefixItems"] as const;
const maps = ["properties", "$defs", "definitions"] as const;

/**
 * Adapts a response schema to the Gemini API. The API doesn't support `const`, so each `const` becomes an `enum` with
 * one value.
 */
export function fitSchema(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return schema;
  const { const: only, ...fitted } = schema as Record<string, unknown>;
  if (only !== undefined) fitted.enum = [only];
  for (const name of singles) if (name in fitted) fitted[name] = fitSchema(fitted[name]);
  for (const name of lists) {
    const list = fitted[name];
    if (Array.isArray(list)) fitted[name] = list.map(fitSchema);
  }
  for (const name of maps) {
    const map = fitted[name];
    if (typeof map !== "object" || map === null) continue;
    fitted[name] = Object.fromEntries(Object.entries(map).map(([key, value]) => [key, fitSchema(value)]));
  }
  return fitted;
}
