import { type Environment, followReference } from "./environment.ts";
import type { FieldSchema } from "./schema/fields.ts";
import { SettingsFile } from "./schema/settings-file.ts";
import { isSecretName, withoutUserInfo } from "./show-without-secrets.ts";
import { isBlank, type SourceEntry, type SourceMap, type SourceNode } from "./source-tree.ts";

/** A section of the settings as shown to administrators. */
export interface ShownSection {
  readonly title: string;
  readonly description: string;
  readonly settings: readonly ShownSetting[];
}

export interface ShownSetting {
  /** Name within the section, with dots between nested names. */
  readonly name: string;
  /** The effective value. For a secret, `set` or `not set`. */
  readonly value: unknown;
  readonly source: "file" | "environment" | "default";
  readonly file: string | null;
  readonly line: number | null;
  readonly variable: string | null;
  readonly needsRestart: boolean;
  readonly description: string;
}

/** Settings that are read only at startup. All other settings can change on a reload. */
const readAtStart: ReadonlySet<string> = new Set([
  "general_settings.database_url",
  "general_settings.listeners",
  "general_settings.server_root_path",
  "general_settings.metrics_labels",
  "general_settings.otel.endpoint",
  "general_settings.otel.headers",
  "general_settings.otel.sample_ratio",
  "general_settings.otel.service_name",
  "router_settings.redis_url",
  "router_settings.redis_host",
  "router_settings.redis_port",
  "router_settings.redis_password",
  "billing.admission",
  "billing.overdraft",
  "training_settings.runs_dir",
]);

const CREDENTIAL_TEXT = /^(sk|pk|rk|whsec)[-_]/;

/** Describes every setting of every section: its effective value and where it is defined. Contains no secrets. */
export function describeSettings(tree: SourceMap, environment: Environment): readonly ShownSection[] {
  const sections = Object.entries((SettingsFile as FieldSchema).properties ?? {});
  return sections.flatMap(([title, schema]) => {
    if (schema.properties === undefined) return [];
    const settings = describeFields(
      schema,
      entriesOf(SettingsFile as FieldSchema, tree, title),
      environment,
      title,
      "",
    );
    return [{ title, description: schema.description ?? "", settings }];
  });
}

function describeFields(
  schema: FieldSchema,
  written: readonly SourceEntry[],
  environment: Environment,
  title: string,
  prefix: string,
): readonly ShownSetting[] {
  const maps = written.flatMap(({ value }) => (value.kind === "map" ? [value] : []));
  return Object.entries(schema.properties ?? {}).flatMap(([field, property]) => {
    const name = `${prefix}${field}`;
    const found = maps.flatMap((map) => entriesOf(schema, map, field)).filter(({ value }) => !isBlank(value));
    if (property.properties !== undefined) {
      return describeFields(property, found, environment, title, `${name}.`);
    }
    return [
      {
        name,
        ...describeValue(field, property, found[0] ?? null, environment),
        needsRestart: readAtStart.has(`${title}.${name}`),
        description: property.description ?? "",
      },
    ];
  });
}

/** Returns the entries under a name and its aliases, in order of precedence. */
function entriesOf(schema: FieldSchema, map: SourceMap, name: string): readonly SourceEntry[] {
  const spellings = Object.entries(schema["x-aliases"] ?? {}).flatMap(([alias, meant]) =>
    meant === name ? [alias] : [],
  );
  return [name, ...spellings].flatMap((spelling) => map.entries.get(spelling) ?? []);
}

function describeValue(
  field: string,
  schema: FieldSchema,
  entry: SourceEntry | null,
  environment: Environment,
): Pick<ShownSetting, "value" | "source" | "file" | "line" | "variable"> {
  const isHidden = isSecret(field, schema);
  if (entry === null) {
    const value = isHidden ? "not set" : toShown(schema.default ?? null);
    return { value, source: "default", file: null, line: null, variable: null };
  }
  const { keyPlace, value } = entry;
  const followed = value.kind === "scalar" ? followReference(value, environment) : value;
  const variable = followed?.kind === "scalar" ? followed.variable : null;
  return {
    value: isHidden ? (isEmpty(value) ? "not set" : "set") : showNode(followed ?? value),
    source: variable === null ? "file" : "environment",
    file: keyPlace.file,
    line: keyPlace.line,
    variable,
  };
}

/**
 * Reports whether a field must be hidden. Raw fields are also hidden, because only their own readers know which parts
 * are secret.
 */
function isSecret(field: string, schema: FieldSchema): boolean {
  return (
    schema["x-secret"] === true ||
    schema["x-raw"] === true ||
    (schema.type === "string" && isSecretName(field)) ||
    (schema.items !== undefined && isSecret(field, schema.items)) ||
    (schema.additionalProperties !== undefined && isSecret(field, schema.additionalProperties))
  );
}

function isEmpty(node: SourceNode): boolean {
  if (node.kind === "list") return node.items.length === 0;
  return node.kind === "map" ? node.entries.size === 0 : node.value === "";
}

function showNode(node: SourceNode): unknown {
  if (node.kind === "list") return node.items.map(showNode);
  if (node.kind === "scalar") return toShown(node.value);
  const entries = [...node.entries].map(([name, { value }]) => {
    const isHidden = value.kind === "scalar" && typeof value.value === "string" && isSecretName(name);
    return [name, isHidden ? "set" : showNode(value)];
  });
  return Object.fromEntries(entries);
}

function toShown(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "string") return value;
  return CREDENTIAL_TEXT.test(value) ? "set" : withoutUserInfo(value);
}
