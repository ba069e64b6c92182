import { readFileSync } from "node:fs";
import { TlsProblem } from "@tollgate/runtime/tls-problem.ts";

export function readPem(variable: string, file: string): string {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === "ENOENT" ? "file not found" : (error as Error).message;
    throw new TlsProblem(`Could not read ${variable} file ${file}: ${reason}.`);
  }
  if (!text.includes("-----BEGIN ")) throw new TlsProblem(`${variable} file ${file} is not a PEM file.`);
  return text;
}
