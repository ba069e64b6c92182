import type { FieldSchema } from "./schema/fields.ts";
import { SettingsFile } from "./schema/settings-file.ts";

type JsonSchema = Record<string, unknown>;

const REFERENCE = { type: "string", pattern: "^os\\.environ/" };

/** Returns the JSON Schema of the settings file, so that editors can complete names and flag mistakes. */
export function settingsJsonSchema(): JsonSchema {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Tollgate settings",
    ...describeField(SettingsFile as FieldSchema),
    additionalProperties: false,
  };
}

function describeField(field: FieldSchema): JsonSchema {
  if (field["x-raw"]) return withNotes(field, {});
  if (field.anyOf) return withNotes(field, { anyOf: field.anyOf.map(describeField) });
  if (field.type === "array") return withNotes(field, { type: "array", items: describeField(field.items ?? {}) });
  if (field.properties) return withNotes(field, describeProperties(field, field.properties));
  if (field.type === "object") {
    return withNotes(field, { type: "object", additionalProperties: describeField(field.additionalProperties ?? {}) });
  }
  return describeScalar(field);
}

function describeProperties(field: FieldSchema, properties: Readonly<Record<string, FieldSchema>>): JsonSchema {
  const described = Object.entries(properties).map(([name, property]) => [name, describeField(property)] as const);
  const aliases = Object.entries(field["x-aliases"] ?? {}).map(([alias, name]) => {
    const meant = describeField(properties[name] ?? {});
    return [alias, { ...meant, description: `Same as ${name}` }] as const;
  });
  const ignored = Object.entries(field["x-without-effect"] ?? {}).map(
    ([name, reason]) => [name, { deprecated: true, description: `No effect: ${reason}` }] as const,
  );
  const required = Object.keys(properties).filter((name) => properties[name]?.default === undefined);
  return {
    type: "object",
    properties: Object.fromEntries([...described, ...aliases, ...ignored]),
    ...(required.length === 0 ? {} : { required }),
  };
}

/** Describes a scalar. Any value can come from the environment instead, and an empty value means the default. */
function describeScalar(field: FieldSchema): JsonSchema {
  const { description: _, default: __, ...rules } = field;
  const own = Object.fromEntries(Object.entries(rules).filter(([keyword]) => !keyword.startsWith("x-")));
  const examples = field["x-known"] ? { examples: field["x-known"] } : {};
  const isOpenText = field.type === "string" && field.enum === undefined && !("pattern" in field);
  return withNotes(field, isOpenText ? { ...own, ...examples } : { anyOf: [own, REFERENCE] });
}

function withNotes(field: FieldSchema, schema: JsonSchema): JsonSchema {
  const isShown = field.default !== undefined && field.default !== null && typeof field.default !== "object";
  return {
    ...(field.description === undefined ? {} : { description: field.description }),
    ...schema,
    ...(isShown ? { default: field.default } : {}),
  };
}
