import { isIP } from "node:net";
import { findNearMiss } from "./near-misses.ts";
import { type GeneralSection, keyHeaders } from "./schema/general-section.ts";
import type { SettingsReader } from "./settings-reader.ts";
import { descend, type Place, type SourceMap } from "./source-tree.ts";

const SHORT_MASTER_KEY = 32;

/** Checks the master key, headers, networks, and ports, where a mistake would grant or block access. */
export function checkGeneral(section: GeneralSection, reader: SettingsReader): void {
  const source = reader.sourceOf(section);
  const placeOf = (...path: readonly (string | number)[]): Place => (descend(source, ...path) ?? source).place;

  const masterKey = section.master_key?.reveal() ?? null;
  if (masterKey !== null && !masterKey.startsWith("sk-")) {
    reader.findings.refuse(placeOf("master_key"), "master_key", 'it must start with "sk-"');
  } else if (masterKey !== null && masterKey.length < SHORT_MASTER_KEY) {
    const suggestion = `it is shorter than ${SHORT_MASTER_KEY} characters and could be guessed`;
    reader.findings.warn("advice", placeOf("master_key"), "master_key", suggestion);
  }
  checkHeaders(section.key_headers, source);
  for (const listener of section.listeners) checkHeaders(listener.key_headers ?? [], reader.sourceOf(listener));
  for (const name of ["trusted_proxies", "internal_addresses"] as const) {
    section[name].forEach((network, index) => {
      if (isNetwork(network)) return;
      const suggestion = "expected an IP address or a network such as 10.0.0.0/8";
      reader.findings.refuse(placeOf(name, index), `${name}: ${network}`, suggestion);
    });
  }
  const ports = new Set<number>();
  for (const listener of section.listeners) {
    const { place } = reader.sourceOf(listener);
    reader.findings.warn("without-effect", place, "listeners", "this version supports only the main listener");
    if (ports.has(listener.port))
      reader.findings.refuse(place, `port: ${listener.port}`, "another listener uses that port");
    ports.add(listener.port);
  }

  function checkHeaders(written: readonly string[], owner: SourceMap): void {
    const list = descend(owner, "key_headers");
    if (list?.kind === "list" && written.length === 0) {
      reader.findings.refuse(list.place, "key_headers", "at least one header is required");
    }
    written.forEach((header, index) => {
      const name = header.toLowerCase();
      if ((keyHeaders as readonly string[]).includes(name)) return;
      const meant = findNearMiss(name, keyHeaders);
      const suggestion = meant === null ? `supported headers: ${keyHeaders.join(", ")}` : `did you mean "${meant}"?`;
      const place = (descend(owner, "key_headers", index) ?? owner).place;
      reader.findings.refuse(place, `key_headers: ${header}`, suggestion);
    });
  }
}

function isNetwork(text: string): boolean {
  const [address = "", length, ...rest] = text.split("/");
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (version === 4 ? 32 : 128));
}
