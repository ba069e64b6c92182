import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { folder } from "./files.ts";

export interface MadeSecrets {
  readonly folder: string;
  /** Runs the script again in the same folder. */
  make(): Readonly<Record<string, string>>;
}

/** Runs `make-secrets` in a temporary folder, so that the checkout's secrets stay unchanged. */
export function makeSecretsElsewhere(): MadeSecrets {
  const elsewhere = mkdtempSync(join(tmpdir(), "tollgate-compose-"));
  copyFileSync(`${folder}/make-secrets`, join(elsewhere, "make-secrets"));
  return {
    folder: elsewhere,
    make() {
      execFileSync(join(elsewhere, "make-secrets"), { stdio: "ignore" });
      const lines = readFileSync(join(elsewhere, ".env"), "utf8").trim().split("\n");
      return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]));
    },
  };
}
