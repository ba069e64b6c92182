import { type ApiError, type ApiErrorFacts, errorClassFor, type ReachedLimit } from "./api-error.ts";

/**
 * Builds the error for a response. A response from another server, such as a load balancer's page, is described only by
 * its status. `url` is the URL of the response, for links that are paths.
 */
export function readApiError(status: number, text: string, headers: Headers, url = ""): ApiError {
  const body = parseObject(text);
  const facts = typeof body.error === "string" ? platformFacts(body) : gatewayFacts(objectOf(body.error), status);
  const message = messageOf(body) ?? `The server responded with status ${status}.`;
  const requestId = facts.requestId ?? headers.get("x-request-id") ?? headers.get("x-gw-call-id");
  const ErrorClass = errorClassFor(status, facts.code);
  const docUrl = absoluteUrl(facts.docUrl, url);
  return new ErrorClass(status, message, { ...facts, docUrl, requestId, retryAfterSeconds: retryAfterOf(headers) });
}

type Body = Readonly<Record<string, unknown>>;
type FactsOfBody = Omit<ApiErrorFacts, "retryAfterSeconds">;

function platformFacts(body: Body): FactsOfBody {
  const details = objectOf(body.details);
  return {
    code: textOf(body.code) ?? "SERVER_ERROR",
    reason: textOf(details.reason),
    details,
    requestId: textOf(body.requestId),
    fix: textOf(body.fix),
    limit: null,
    docUrl: textOf(body.docUrl),
  };
}

function gatewayFacts(error: Body, status: number): FactsOfBody {
  return {
    code: textOf(error.code) ?? (status >= 500 ? "SERVER_ERROR" : `HTTP_${status}`),
    reason: textOf(error.type),
    details: error,
    requestId: textOf(error.request_id),
    fix: textOf(error.fix),
    limit: limitOf(error.limit),
    docUrl: textOf(error.doc_url),
  };
}

function limitOf(value: unknown): ReachedLimit | null {
  if (typeof value !== "object" || value === null) return null;
  const limit = value as Body;
  return {
    kind: String(limit.kind),
    ownerType: String(limit.owner_type),
    ownerName: String(limit.owner_name),
    current: limit.current as number | string,
    maximum: limit.maximum as number | string,
    resetsAt: textOf(limit.resets_at),
  };
}

/** Resolves a link that is only a path, because the server does not know its public URL. */
function absoluteUrl(link: string | null, url: string): string | null {
  return link?.startsWith("/") && URL.canParse(link, url) ? new URL(link, url).href : link;
}

function messageOf(body: Body): string | null {
  return textOf(body.error) ?? textOf(objectOf(body.error).message);
}

/** Reads Retry-After as seconds or as a date, because HTTP allows both. */
function retryAfterOf(headers: Headers): number | null {
  const text = headers.get("retry-after");
  if (text === null) return null;
  if (/^\d+$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}

function parseObject(text: string): Body {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return {};
  }
}

function objectOf(value: unknown): Body {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Body) : {};
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
