// The image's health check: is this instance ready, for calls or, where only the platform runs, for its own? Over TLS where it speaks TLS; the certificate is for the
// name that clients use, so it is not compared with this computer's address.
import { get as getPlain } from "node:http";
import { get as getSecure } from "node:https";

const { PORT = "4000", TOLLGATE_TLS_CERT } = process.env;
const get = TOLLGATE_TLS_CERT ? getSecure : getPlain;
const end = (isReady) => process.exit(isReady ? 0 : 1);
const ask = (path, onStatus) =>
  get({ host: "127.0.0.1", port: PORT, path, rejectUnauthorized: false, timeout: 4_000 }, ({ statusCode }) =>
    onStatus(statusCode),
  )
    .on("timeout", () => end(false))
    .on("error", () => end(false));

ask("/health/readiness", (status) =>
  status === 404 ? ask("/api/ready", (own) => end(own === 200)) : end(status === 200),
);
