import { readFileSync } from "node:fs";
import { Secret } from "@tollgate/domain/secret.ts";
import type { Environment } from "./environment.ts";
import type { NamedProvider } from "./name-provider.ts";
import type { FieldSchema } from "./schema/fields.ts";
import { type Credential, providerOptions } from "./schema/model-list.ts";

type Connection = Credential["credential_values"];

export type Options = Readonly<Record<string, string | Secret>>;

/** The options that a deployment and its shared credential write; what the deployment writes wins. */
export function writtenOptions(credential: Connection | undefined, params: Connection): Options {
  return { ...pickOptions(credential), ...pickOptions(params) };
}

type Groups = NamedProvider["optionVariables"];

/** Whether a credential of the provider is among them. One that is written is meant, whatever else the environment has. */
export function hasCredential(options: Options, groups: Groups): boolean {
  return groups.some((group) => Object.keys(group).some((name) => isSecret(name) && name in options));
}

/** The options of each group that nothing is written of, as far as the environment has them. */
export function usualOptions(groups: Groups, written: Options, hasKey: boolean, environment: Environment): Options {
  const isSaid = hasKey || hasCredential(written, groups);
  const usual: Record<string, string | Secret> = {};
  for (const group of groups) {
    const names = Object.keys(group);
    if (names.some((name) => name in written) || (isSaid && names.some(isSecret))) continue;
    for (const name of names) {
      const value = firstVariable(group[name] ?? [], environment);
      if (value !== null) usual[name] = isSecret(name) ? new Secret(value) : value;
    }
  }
  return usual;
}

/** The first of these variables that has a value. */
export function firstVariable(names: readonly string[], environment: Environment): string | null {
  return names.map((name) => environment[name] ?? "").find((value) => value !== "") ?? null;
}

/**
 * The options with a credential that is named by its file read from there. Only whoever writes the settings can name a
 * file of this computer. One that cannot be read stays a name, and calls under it fail.
 */
export function withFiles(options: Options): Options {
  const given = options.vertex_credentials;
  const text = given instanceof Secret ? given.reveal() : (given ?? "");
  if (text === "" || text.trimStart().startsWith("{")) return options;
  try {
    return { ...options, vertex_credentials: new Secret(readFileSync(text, "utf8")) };
  } catch {
    return options;
  }
}

function isSecret(option: string): boolean {
  const field = (providerOptions as Readonly<Record<string, FieldSchema | undefined>>)[option];
  return field?.["x-secret"] === true;
}

function pickOptions(connection: Connection | undefined): Options {
  const names = Object.keys(providerOptions) as (keyof typeof providerOptions)[];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = connection?.[name] ?? null;
      return value === null ? [] : [[name, value]];
    }),
  );
}
