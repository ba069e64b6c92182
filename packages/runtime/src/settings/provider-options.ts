import { readFileSync } from "node:fs";
import { Secret } from "@tollgate/domain/secret.ts";
import type { Environment } from "./environment.ts";
import type { NamedProvider } from "./name-provider.ts";
import type { FieldSchema } from "./schema/fields.ts";
import { type Credential, providerOptions } from "./schema/model-list.ts";

type Connection = Credential["credential_values"];

type Options = Readonly<Record<string, string | Secret>>;

/** Returns the options set by a deployment and its shared credential; the deployment takes precedence. */
export function writtenOptions(credential: Connection | undefined, params: Connection): Options {
  return { ...pickOptions(credential), ...pickOptions(params) };
}

type Groups = NamedProvider["optionVariables"];

/**
 * Reports whether the options include a provider credential, or name one, as a role does. If so, credentials in the
 * environment are ignored.
 */
export function hasCredential(options: Options, groups: Groups): boolean {
  return credentialNames(groups).some((name) => name in options);
}

/** Returns the options without credentials and what names them, for calls with another credential. */
export function withoutCredentials(options: Options, groups: Groups): Options {
  const names = credentialNames(groups);
  return Object.fromEntries(
    Object.entries(options).filter(([name, value]) => !(value instanceof Secret) && !names.includes(name)),
  );
}

/** Returns the options that are credentials, or that belong to one, as a tenant or a role does. */
export function credentialNames(groups: Groups): readonly string[] {
  return groups.map((group) => Object.keys(group)).flatMap((names) => (names.some(isSecret) ? names : []));
}

/** Returns the environment's values for option groups that the settings omit. */
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

/** Returns the value of the first variable that is set. */
export function firstVariable(names: readonly string[], environment: Environment): string | null {
  return names.map((name) => environment[name] ?? "").find((value) => value !== "") ?? null;
}

/**
 * Replaces a credential that names a file with the file's contents. Only the author of the settings can name a local
 * file. If the file can't be read, the file name remains as the credential, and calls that use it fail.
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
