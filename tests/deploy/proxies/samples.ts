import { readFileSync } from "node:fs";
import { root } from "../paths.ts";
import type { ProxyName } from "./programs.ts";

/** Values for a sample's placeholders: names, URLs, and certificates. */
export interface Places {
  readonly folder: string;
  readonly port: number;
  readonly upstreamPort: number;
  readonly certificate: string;
  readonly key: string;
  /** File with both the certificate and the key. */
  readonly both: string;
  /** Sub-path to serve under, configured as the sample explains; null for the unchanged sample. */
  readonly subPath: string | null;
}

interface Sample {
  readonly file: string;
  write(sample: (changes: readonly Change[]) => string, places: Places): string;
  args(file: string, places: Places): readonly string[];
}

type Change = readonly [from: string, to: string];

export const samples: Readonly<Record<ProxyName, Sample>> = {
  nginx: {
    file: "nginx.conf",
    write(sample, places) {
      const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map((kind) => `${kind}_temp_path ${places.folder}/${kind};`)
        .join("\n");
      const text = sample([
        ["127.0.0.1:4000", `127.0.0.1:${places.upstreamPort}`],
        ["listen 443 ssl http2;", `listen 127.0.0.1:${places.port} ssl http2;`],
        ["/etc/ssl/gateway.pem", places.certificate],
        ["/etc/ssl/gateway.key", places.key],
        ...(places.subPath === null ? [] : [[`\n  location / {`, `\n  location ${places.subPath}/ {`] as const]),
      ]);
      return `daemon off;\npid ${places.folder}/pid;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${text}}\n`;
    },
    args: (file, { folder }) => ["-p", folder, "-e", `${folder}/error.log`, "-c", file],
  },
  haproxy: {
    file: "haproxy.cfg",
    write: (sample, places) =>
      sample([
        ["127.0.0.1:4000", `127.0.0.1:${places.upstreamPort}`],
        ["bind :443", `bind 127.0.0.1:${places.port}`],
        ["/etc/haproxy/gateway.pem", places.both],
        ...(places.subPath === null
          ? []
          : [["\n  default_backend tollgate", `\n  use_backend tollgate if { path_beg ${places.subPath}/ }`] as const]),
      ]),
    args: (file) => ["-db", "-f", file],
  },
  caddy: {
    file: "Caddyfile",
    write(sample, places) {
      const text = sample([
        [
          "\ngateway.example.com {",
          `\nhttps://gateway.example.com:${places.port} {\n\tbind 127.0.0.1\n\ttls ${places.certificate} ${places.key}`,
        ],
        [
          "\n\treverse_proxy 127.0.0.1:4000",
          `\n\treverse_proxy ${places.subPath === null ? "" : `${places.subPath}/* `}127.0.0.1:${places.upstreamPort}`,
        ],
      ]);
      return `{\n\tadmin off\n\tauto_https off\n\tstorage file_system ${places.folder}\n}\n${text}`;
    },
    args: (file) => ["run", "--config", file, "--adapter", "caddyfile"],
  },
};

/** Returns the published sample with its placeholders replaced. Throws if a placeholder is missing from the sample. */
export function fillSample(name: ProxyName, places: Places): string {
  const { file, write } = samples[name];
  const text = readFileSync(`${root}/deploy/proxies/${file}`, "utf8");
  return write(
    (changes) =>
      changes.reduce((changed, [from, to]) => {
        if (!changed.includes(from)) throw new Error(`deploy/proxies/${file} has no ${JSON.stringify(from)}`);
        return changed.replaceAll(from, to);
      }, text),
    places,
  );
}
