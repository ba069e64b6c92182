import { Failure } from "@tollgate/contracts/failures.ts";
import type { UpstreamTarget } from "../../call/provider.ts";
import type { ToolEntry } from "../../call/request-fields.ts";
import { isRunByClient } from "../../operations/messages/is-run-by-client.ts";
import { kindsOf } from "../../operations/requested-tools.ts";
import { priceOfTool } from "../provider-tools.ts";

type Prices = UpstreamTarget["price"];

/** The prices of a deployment, as far as they decide which fields are sent. */
type Priced = Pick<UpstreamTarget, "price" | "facts" | "usesOwnKey">;

const NO_PRICES: Priced = {};

/**
 * Refuses provider-specific fields that change the cost and have no price. `place` is the fields' path in error
 * messages. `mayMark` is false if no field can set a cache TTL.
 */
export function refuseUnpriced(
  fields: Readonly<Record<string, unknown>>,
  priced: Priced = NO_PRICES,
  place = "",
  mayMark = true,
): void {
  const price = priced.price ?? null;
  for (const [name, value] of Object.entries(fields)) {
    if (value == null) continue;
    // The hold covers only what the request itself asks for, and not the fields of `extra_body`.
    if (isChargedApart(name, value, place === "" ? priced : NO_PRICES, place)) throw unpriced(place + name);
    if (name === "container" && priced.usesOwnKey !== true) checkContainer(value);
    if (name === "tools" && hasUnpricedTool(value, price)) throw unpriced(place + name);
    if (name === "context_management" && isCompacting(value)) throw unpriced(place + name);
    if (mayMark && keepsLonger(value, price)) {
      throw unpriced(`${place}${name}.cache_control.ttl`, "cache_creation_input_token_cost_above_1hr");
    }
  }
}

/** Reports whether a field makes the provider charge for something other than the requested model's tokens. */
function isChargedApart(name: string, value: unknown, priced: Priced, place: string): boolean {
  const { price, facts, usesOwnKey = false } = priced;
  const rules = facts?.rateCard?.rules ?? [];
  switch (name) {
    case "fallbacks":
      return true;
    case "mcp_servers":
      return place !== "";
    case "container":
      return price?.perCodeSession == null;
    case "speed":
      return value !== "standard" && !usesOwnKey && !rules.some(({ when }) => when.serviceTier === value);
    case "inference_geo":
      return value !== "global" && !usesOwnKey && !rules.some(({ when }) => when.region === value);
    default:
      return false;
  }
}

/**
 * Rejects what is in the operator's own account: containers of earlier requests, which can belong to other callers, and
 * uploaded skills. `anthropic` are the skills that all accounts have.
 */
function checkContainer(container: unknown): void {
  const { id, skills } = (typeof container === "string" ? { id: container } : container) as Container;
  if (id != null) {
    throw new Failure("invalid_request", "Container IDs are not supported.", {
      param: "container",
      fix: "Remove the ID. Each request gets a container of its own.",
    });
  }
  if (skills == null || (Array.isArray(skills) && skills.every((skill) => isPublicSkill(skill)))) return;
  throw new Failure("invalid_request", "Uploaded skills are not supported.", {
    param: "container.skills",
    fix: "Send only skills of the type 'anthropic'.",
  });
}

interface Container {
  readonly id?: unknown;
  readonly skills?: unknown;
}

function isPublicSkill(skill: { readonly type?: unknown } | null): boolean {
  return skill?.type === "anthropic";
}

function hasUnpricedTool(tools: unknown, price: Prices): boolean {
  if (!Array.isArray(tools)) return true;
  return (tools as readonly (ToolEntry | null)[]).some(
    (tool) => tool === null || (!isRunByClient(tool.type) && !kindsOf(tool).every((kind) => isPriced(kind, price))),
  );
}

function isPriced(kind: string, price: Prices): boolean {
  return priceOfTool("anthropic", kind, price).kind === "priced";
}

/**
 * Reports whether the provider may compact the prompt. Compaction uses input and output tokens that no limit in the
 * request covers.
 */
function isCompacting(value: unknown): boolean {
  return JSON.stringify(value).includes('"type":"compact');
}

/** Reports whether a cache TTL is longer than the TTLs that have a price. */
function keepsLonger(value: unknown, price: Prices): boolean {
  const longer = price?.longCacheWrite == null ? /"ttl":"(?!5m")/ : /"ttl":"(?!5m"|1h")/;
  return typeof value === "object" && longer.test(JSON.stringify(value));
}

function unpriced(param: string, setting?: string): Failure {
  return new Failure(
    "unsupported_parameter",
    "The provider bills this separately, and no price is configured for it.",
    {
      param,
      ...(setting !== undefined && { fix: `Remove it, or ask the operator to set ${setting} on the deployment.` }),
    },
  );
}
