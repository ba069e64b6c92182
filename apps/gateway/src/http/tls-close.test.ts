import { once } from "node:events";
import { connect } from "node:net";
import { Secret } from "@tollgate/domain/secret.ts";
import { watchAwakeTime } from "@tollgate/testkit/awake-time.ts";
import { CertificateAuthority } from "@tollgate/testkit/certificates.ts";
import { expect, onTestFinished, test } from "vitest";
import { startEdge } from "./edge.fixture.ts";

test("a client that never starts its TLS handshake does not delay a shutdown", async () => {
  const authority = new CertificateAuthority();
  onTestFinished(() => authority.close());
  const { certificate, key } = authority.issue("gateway.test");
  const edge = await startEdge({ tls: { certificate, key: new Secret(key) } });
  const silent = connect(edge.port, "127.0.0.1");
  onTestFinished(() => void silent.destroy());
  await once(silent, "connect");
  await new Promise((resolve) => edge.http.server.getConnections((_, count) => resolve(expect(count).toBe(1))));
  const awakeTime = watchAwakeTime();
  const startedAtMs = performance.now();
  await edge.close();
  expect(awakeTime(startedAtMs, performance.now())).toBeLessThan(5_000);
});
