import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface MadeCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** A private certificate authority, as used in companies, that signs any certificate. */
export class CertificateAuthority {
  readonly certificate: string;
  readonly #folder = mkdtempSync(join(tmpdir(), "tollgate-authority-"));
  #count = 0;

  constructor() {
    const made = ["-keyout", this.#path("ca.key"), "-out", this.#path("ca.pem")];
    this.#openssl(["req", "-x509", ...NEW_KEY, ...made, "-days", "2", "-subj", "/CN=a private authority"]);
    this.certificate = readFileSync(this.#path("ca.pem"), "utf8");
  }

  /** Issues a certificate for a host name, such as `models.test`, or an IP address. */
  issue(name: string, days = 2): MadeCertificate {
    this.#count += 1;
    const base = `leaf-${this.#count}`;
    const path = (suffix: string) => this.#path(`${base}.${suffix}`);
    writeFileSync(path("ext"), `subjectAltName=${isIP(name) === 0 ? "DNS" : "IP"}:${name}\n`);
    this.#openssl(["req", ...NEW_KEY, "-keyout", path("key"), "-out", path("csr"), "-subj", `/CN=${name}`]);
    const signer = ["-CA", this.#path("ca.pem"), "-CAkey", this.#path("ca.key"), "-CAcreateserial"];
    const signed = ["-in", path("csr"), "-out", path("pem"), "-days", String(days), "-extfile", path("ext")];
    this.#openssl(["x509", "-req", ...signed, ...signer]);
    return { certificate: readFileSync(path("pem"), "utf8"), key: readFileSync(path("key"), "utf8") };
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }

  #openssl(args: readonly string[]): void {
    execFileSync("openssl", [...args], { stdio: "ignore" });
  }
}

const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
