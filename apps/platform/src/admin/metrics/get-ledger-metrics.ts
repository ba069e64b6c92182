import { operation, read } from "../../operation.ts";
import { readBookMetrics } from "./read-book-metrics.ts";

const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export const getLedgerMetrics = operation({
  ...read,
  id: "getLedgerMetrics",
  summary: "Get ledger and billing metrics in Prometheus text format",
  tag: "admin",
  path: "/api/admin/metrics",
  auth: "administrator",
  scope: "administrator",
  answers: { 200: { description: "The metrics", schema: { type: "string" }, contentType: CONTENT_TYPE } },
  handle: async (_input, transaction) => ({
    status: 200,
    raw: { contentType: CONTENT_TYPE, content: await readBookMetrics(transaction) },
  }),
});
