import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setDefaultCACertificates } from "node:tls";
import { CertificateAuthority } from "@tollgate/testkit/certificates.ts";
import { startTollgate, startTollgateWithTls, type TlsStage } from "../contestants/tollgate.ts";
import { describeMachine } from "../measure/describe-machine.ts";
import { runSlices, type SliceRow } from "../sections/run-slices.ts";
import { bringOn, type Stage } from "../sections/stage.ts";

/**
 * Measures the cost of TLS on connections to clients and to the upstream. Alternates between the same gateway with TLS
 * and without it.
 */
export async function tlsReport(stage: Stage, startedAt: string): Promise<{ text: string; data: object }> {
  const tls = await prepare(stage);
  const figures: Record<string, object> = {};
  const lines: string[] = [];
  for (const kind of ["json", "sse"] as const) {
    const plain = await bringOn(stage, startTollgate);
    const secure = await bringOn(stage, startTollgateWithTls(tls));
    const [base, own] = (await runSlices(stage, kind, plain, [secure])) as [SliceRow, SliceRow];
    await Promise.all([plain.stop(), secure.stop()]);
    figures[kind] = { plain: base.cpuMicros, tls: own.cpuMicros, cpuRatio: own.cpuRatio };
    lines.push(
      `${kind}: ${base.cpuMicros.median.toFixed(0)} µs a call without TLS, ${own.cpuMicros.median.toFixed(0)} µs with it on both sides (× ${own.cpuRatio.median.toFixed(2)})`,
    );
  }
  const data = { startedAt, rounds: stage.rounds, machine: describeMachine(), ...figures };
  return { text: lines.join("\n"), data };
}

async function prepare({ upstream, directory }: Stage): Promise<TlsStage> {
  const authority = new CertificateAuthority();
  setDefaultCACertificates([authority.certificate]);
  const upstreamPort = await upstream.listenTls(authority.issue("127.0.0.1"));
  const { certificate, key } = authority.issue("127.0.0.1");
  const written = (name: string, text: string) => {
    const path = join(directory, name);
    writeFileSync(path, text);
    return path;
  };
  const stage = {
    authorityFile: written("authority.pem", authority.certificate),
    certificateFile: written("gateway.pem", certificate),
    keyFile: written("gateway.key", key),
    upstreamPort,
  };
  authority.close();
  return stage;
}
