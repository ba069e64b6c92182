import { type Static, Type } from "typebox";
import { generalWithoutEffect } from "../without-effect.ts";
import {
  choice,
  count,
  flag,
  knownName,
  list,
  mapOf,
  names,
  number,
  optional,
  optionalFlag,
  seconds,
  secret,
  text,
} from "./fields.ts";

/** Headers that can contain a key, in order of precedence. */
export const keyHeaders = ["x-gw-api-key", "authorization", "x-api-key", "api-key"] as const;

const headerList = names("Headers that can contain an API key; the first one present is used");

const Listener = Type.Object({
  host: optional(text("IP address or host name to listen on")),
  port: count("Port to listen on", { minimum: 1, maximum: 65_535 }),
  key_headers: optional(headerList),
});

const Telemetry = Type.Object(
  {
    endpoint: optional(
      text("OTLP/HTTP URL of an OpenTelemetry collector, such as http://collector:4318; if not set, no data is sent"),
    ),
    headers: mapOf("Headers to send to the collector, such as an API key", secret("A header's value")),
    sample_ratio: optional(
      number("Share of requests to trace, from 0 to 1, if the caller sends no sampling decision (default 0.01)", {
        maximum: 1,
      }),
    ),
    service_name: optional(text("Service name of this instance (default tollgate)")),
  },
  { description: "Export of traces and metrics to an OpenTelemetry collector", default: {} },
);

export const GeneralSection = Type.Object(
  {
    master_key: optional(secret("The operator's API key, which starts with sk-")),
    database_url: optional(secret("PostgreSQL URL")),
    key_headers: names("Headers that can contain an API key; the first one present is used", keyHeaders),
    hosted: choice("With strict, API keys are accepted only in x-gw-api-key", ["open", "strict"], "open"),
    listeners: list("Additional ports, each with its own key headers", Listener),
    server_root_path: optional(
      Type.String({ pattern: "^(/[^/?#\\s]+)+/?$", description: "Path prefix of all URLs, such as /gateway" }),
    ),
    allowed_hosts: names("Host names that this instance serves; if empty, all host names"),
    trusted_proxies: names("IP addresses or networks (10.0.0.0/8) whose forwarding headers are trusted"),
    internal_addresses: names("IP addresses or networks of this server's other processes, in addition to localhost"),
    store_model_in_db: flag("Allow adding deployments through the API", false),
    max_request_size_mb: count("Max request size, in MB", { default: 50, minimum: 1, maximum: 1024 }),
    max_file_size_mb: count("Max audio file size, in MB", { default: 25, minimum: 1, maximum: 1024 }),
    completion_model: optional(text("Model for all completions, regardless of the request")),
    moderation_model: optional(text("Default model for moderations")),
    disable_admin_ui: flag("Disable the pages at /ui", false),
    enable_public_model_hub: flag("Show the models at /ui/model_hub_table without requiring sign-in", false),
    expose_api_base: flag("Show the deployments' provider URLs to all callers", false),
    expose_upstream_headers: flag("Include provider response headers in responses", false),
    hide_inaccessible_models: flag("Return 404 instead of 403 for models that a key cannot use", false),
    allow_model_id_calls: flag("Allow a deployment ID as the model name", false),
    global_max_parallel_requests: optional(
      count("Max concurrent requests per gateway process (default 1000)", { minimum: 1 }),
    ),
    max_connections_per_ip: count(
      "Max connections from one IP address to a gateway process; trusted proxies are not limited",
      {
        default: 256,
        minimum: 1,
      },
    ),
    http_parser: choice(
      "HTTP parser for inference requests: the gateway's own for plain requests, or always Node's, which needs more CPU; read at start",
      ["own", "node"],
      "own",
    ),
    upstream_http_client: choice(
      "HTTP client for provider requests: the gateway's own, or the undici library, which needs more CPU; read at start",
      ["own", "undici"],
      "own",
    ),
    max_parallel_requests: optional(
      count("Max concurrent requests per key, for keys without their own limit", { minimum: 1 }),
    ),
    rate_limit_window_seconds: count("Length of the rate limit window, in seconds", {
      default: 60,
      minimum: 1,
      maximum: 3600,
    }),
    token_rate_limit_type: choice("Tokens that count toward a token limit", ["total", "input", "output"], "total"),
    reject_clientside_metadata_tags: flag("Reject tags sent by clients", false),
    store_prompts_in_spend_logs: optionalFlag(
      "Store prompts and responses in the logs (no effect: set logPrompts on each organization)",
    ),
    background_health_checks: flag("Check deployments in the background", false),
    health_check_interval: seconds("Seconds between health checks", { default: 300 }),
    health_check_timeout: seconds("Health check timeout, in seconds", { default: 60 }),
    require_auth_for_metrics: flag("Require an API key for metrics", true),
    metrics_labels: list(
      "Additional high-cardinality metric labels",
      knownName("A label", ["key", "user", "end_user"]),
    ),
    otel: Telemetry,
    alerting: list(
      "Alert destinations (no effect in this version; use webhooks)",
      knownName("A destination", ["webhook"]),
    ),
  },
  {
    description: "Server settings",
    default: {},
    "x-without-effect": generalWithoutEffect,
  },
);

export type GeneralSection = Static<typeof GeneralSection>;
