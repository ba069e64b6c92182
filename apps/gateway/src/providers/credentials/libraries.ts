import { createRequire } from "node:module";
import { findPackage } from "../find-package.ts";

/**
 * Cloud vendors' libraries that obtain credentials, with the versions that our tests run with. They aren't installed by
 * default, because each one brings dozens of packages that most servers never use (decision 57).
 */
const libraries = {
  aws: {
    vendor: "AWS",
    package: "@aws-sdk/credential-providers",
    version: "3.1161.0",
    domains: ["amazonaws.com", "amazonaws.com.cn", "amazonaws.eu", "api.aws", "c2s.ic.gov", "sc2s.sgov.gov"],
  },
  google: {
    vendor: "Google Cloud",
    package: "google-auth-library",
    version: "11.3.2",
    domains: ["googleapis.com"],
  },
  azure: {
    vendor: "Microsoft Entra",
    package: "@azure/identity",
    version: "4.14.1",
    domains: ["azure.com", "azure.us", "azure.cn"],
  },
} as const;

export type LibraryName = keyof typeof libraries;

/** Returns a library with the version that is installed; null if it isn't installed. */
export function describeLibrary(name: LibraryName) {
  const { vendor, package: packageName, version } = libraries[name];
  const domains: readonly string[] = libraries[name].domains;
  return {
    vendor,
    domains,
    package: packageName,
    testedVersion: version,
    installedVersion: findPackage(packageName)?.version ?? null,
    installCommand: `npm install --ignore-scripts ${packageName}@${version}`,
  };
}

/** Returns all libraries. */
export function describeLibraries() {
  return (Object.keys(libraries) as LibraryName[]).map(describeLibrary);
}

/** Loads an installed library. Throws if it isn't installed. */
export function loadLibrary<Library>(name: LibraryName): Library {
  const found = findPackage(libraries[name].package);
  if (found === null) throw new Error(`${libraries[name].package} is not installed`);
  return createRequire(found.path)(found.path) as Library;
}
