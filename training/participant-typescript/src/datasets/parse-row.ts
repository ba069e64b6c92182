import type { JsonValue, Row } from "../handlers.ts";

/** Parses text as an object. The error names the position. */
export function parseRow(text: string, place: string): Row {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw new Error(`${place} is not valid JSON`, { cause });
  }
  if (!isRow(value)) throw new Error(`${place} is not an object`);
  return value;
}

/** Reports whether a value is one record: an object with named fields. */
export function isRow(value: JsonValue | undefined): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
