import { createRequire } from "node:module";
import { findPackage } from "../find-package.ts";
import type { AdapterProvider } from "./model-v4.ts";

/** Settings for creating an adapter. */
interface AdapterSettings {
  readonly apiKey?: string;
  readonly baseURL?: string;
  readonly fetch: typeof globalThis.fetch;
}

type CreateAdapter = (settings: AdapterSettings) => AdapterProvider;

/** Thrown for a package that can't serve as an adapter. The message contains the reason and a fix. */
class AdapterRefused extends Error {}

/** Matches the name of an installed package. Paths and URLs don't match. */
const PACKAGE_NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
const MAX_NAME_LENGTH = 214;
const FACTORY = /^create[A-Z]/;
const SPECIFICATION = "v4";

const known = new Map<string, CreateAdapter>();

/**
 * Returns the function that creates a package's adapters. Looks for the package in the working directory first and then
 * in the program's directory. Throws `AdapterRefused` if the package is missing or isn't an adapter.
 */
export function loadAdapterPackage(name: string): CreateAdapter {
  const existing = known.get(name);
  if (existing !== undefined) return existing;
  if (!PACKAGE_NAME.test(name) || name.length > MAX_NAME_LENGTH) {
    throw new AdapterRefused(`'${name}' is not a valid package name`);
  }
  const exported = importPackage(name);
  const factory = Object.keys(exported).find((key) => FACTORY.test(key) && typeof exported[key] === "function");
  if (factory === undefined) throw new AdapterRefused(`${name} is not an adapter: it exports no create… function`);
  const create = exported[factory] as CreateAdapter;
  const checked: CreateAdapter = (settings) => checkVersion(name, create(settings));
  // Packages that need more than a key and a URL throw here, before any call.
  checked({ apiKey: "checked-and-not-used", fetch: neverFetches });
  known.set(name, checked);
  return checked;
}

/** Returns the reason why a package can't serve as an adapter, or null if it can. */
export function findAdapterProblem(name: string): string | null {
  try {
    loadAdapterPackage(name);
    return null;
  } catch (error) {
    return error instanceof AdapterRefused ? error.message : `${name} could not be loaded: ${String(error)}`;
  }
}

function importPackage(name: string): Readonly<Record<string, unknown>> {
  const found = findPackage(name);
  if (found === null) {
    throw new AdapterRefused(`${name} is not installed. Run npm install ${name} where tollgate is installed`);
  }
  return createRequire(found.path)(found.path) as Readonly<Record<string, unknown>>;
}

function checkVersion(name: string, adapter: AdapterProvider | null): AdapterProvider {
  const version = adapter?.specificationVersion;
  if (adapter !== null && version === SPECIFICATION && typeof adapter.languageModel === "function") return adapter;
  const spoken = typeof version === "string" ? version : "none";
  throw new AdapterRefused(
    `${name} uses adapter API version ${spoken} instead of ${SPECIFICATION}. Update the package`,
  );
}

const neverFetches = (): Promise<never> => Promise.reject(new Error("an adapter cannot send requests during a check"));
