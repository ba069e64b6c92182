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

/** The headers a key can come in. The order is the precedence. */
export const keyHeaders = ["x-gw-api-key", "authorization", "x-api-key", "api-key"] as const;

const headerList = names("Headers a key may come in; the first one present decides");

const Listener = Type.Object({
  host: optional(text("Address to listen on")),
  port: count("Port to listen on", { minimum: 1, maximum: 65_535 }),
  key_headers: optional(headerList),
});

const Telemetry = Type.Object(
  {
    endpoint: optional(
      text(
        "Where an OpenTelemetry collector takes OTLP over HTTP, such as http://collector:4318; nothing is sent without",
      ),
    ),
    headers: mapOf("Headers that the collector wants, such as a key", secret("A header's value")),
    sample_ratio: optional(
      number("Part of the calls that are traced, from 0 to 1, where the caller does not say; 0.01 when not set", {
        maximum: 1,
      }),
    ),
    service_name: optional(text("What this instance is called there; tollgate when not set")),
  },
  { description: "Traces and metrics for an OpenTelemetry collector", default: {} },
);

export const GeneralSection = Type.Object(
  {
    master_key: optional(secret("The key of the first administrator; begins with sk-")),
    database_url: optional(secret("Address of PostgreSQL")),
    key_headers: names("Headers a key may come in; the first one present decides", keyHeaders),
    hosted: choice("strict accepts keys in x-gw-api-key alone", ["open", "strict"], "open"),
    listeners: list("Further ports, each with its own key headers", Listener),
    server_root_path: optional(
      Type.String({ pattern: "^(/[^/?#\\s]+)+/?$", description: "Path all addresses begin with, such as /gateway" }),
    ),
    allowed_hosts: names("Host names this instance answers to; any when empty"),
    trusted_proxies: names("Addresses or networks (10.0.0.0/8) whose forwarding headers are believed"),
    internal_addresses: names("Addresses or networks of this installation's other processes, besides this computer"),
    store_model_in_db: flag("Deployments can be added over the API", false),
    max_request_size_mb: count("Largest request", { default: 50, minimum: 1, maximum: 1024 }),
    max_file_size_mb: count("Largest audio file", { default: 25, minimum: 1, maximum: 1024 }),
    completion_model: optional(text("The model of every completion, whatever the request says")),
    moderation_model: optional(text("The model of moderations that name none")),
    disable_admin_ui: flag("No pages at /ui", false),
    enable_public_model_hub: flag("Show the models at /ui/model_hub_table without signing in", false),
    expose_api_base: flag("Show everyone where deployments are", false),
    expose_upstream_headers: flag("Name the upstream in answers", false),
    hide_inaccessible_models: flag("Answer 404 instead of 403 for models a key may not use", false),
    allow_model_id_calls: flag("A deployment's id can be called as a model", false),
    global_max_parallel_requests: optional(
      count("Calls under way at once in each gateway process; 1000 when not set", { minimum: 1 }),
    ),
    max_connections_per_address: count(
      "Connections one address may have to a gateway process; trusted proxies have any number",
      {
        default: 256,
        minimum: 1,
      },
    ),
    max_parallel_requests: optional(
      count("Calls under way at once of a key without a limit of its own", { minimum: 1 }),
    ),
    rate_limit_window_seconds: count("Length of the window rate limits count in", {
      default: 60,
      minimum: 1,
      maximum: 3600,
    }),
    token_rate_limit_type: choice("Which tokens a token limit counts", ["total", "input", "output"], "total"),
    reject_clientside_metadata_tags: flag("Refuse tags sent by clients", false),
    store_prompts_in_spend_logs: optionalFlag(
      "Keep prompts and answers with the logs (no effect: each organization decides by its logPrompts)",
    ),
    background_health_checks: flag("Check deployments all the time", false),
    health_check_interval: seconds("Seconds between health checks", { default: 300 }),
    health_check_timeout: seconds("Seconds a health check waits", { default: 60 }),
    require_auth_for_metrics: flag("The metrics need a key", true),
    metrics_labels: list("Labels with many values", knownName("A label", ["key", "user", "end_user"])),
    otel: Telemetry,
    alerting: list(
      "Where events are sent (no effect in this version: subscribe webhooks)",
      knownName("A way", ["webhook"]),
    ),
  },
  {
    description: "The server itself",
    default: {},
    "x-without-effect": generalWithoutEffect,
  },
);

export type GeneralSection = Static<typeof GeneralSection>;
