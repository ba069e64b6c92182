import type { TargetSettings, Transport, TransportLayer, UpstreamRequest } from "../../call/provider.ts";
import { sourceLayer } from "../credentials/credential-source.ts";
import { attachToken, CredentialTransport, rejectsToken } from "../credentials/credential-transport.ts";
import type { GoogleToken } from "../credentials/google-source.ts";
import {
  credentialText,
  type GoogleCredentials,
  readGoogleCredentials,
  vertexCredentialSource,
} from "./google-credentials.ts";
import { googleTokens, rejected } from "./google-tokens.ts";

/** Adds an access token to requests to Google. Returns null if an API key is used instead. */
export function tokenLayer(target: TargetSettings): TransportLayer | null {
  const text = credentialText(target);
  if (text === null && target.apiKey !== null) return null;
  const source = vertexCredentialSource(target);
  if (source !== null) return sourceLayer(source, target, attachGoogleToken, rejectsToken);
  const credentials = readable(target);
  return {
    identity: text ?? "",
    over: (connections, open) =>
      credentials === null ? new RefusingTransport(connections) : withTokens(connections, credentials, open),
  };
}

/** Adds a token, and the project to a path that has none because only the token's source knows it. */
function attachGoogleToken(request: UpstreamRequest, { token, project }: GoogleToken): UpstreamRequest {
  const path = project === "" ? request.path : request.path.replace("/projects//", () => `/projects/${project}/`);
  return attachToken({ ...request, path }, token);
}

function withTokens(
  connections: Transport,
  credentials: GoogleCredentials,
  open: (apiBase: string) => Transport,
): Transport {
  const endpoint = open(credentials.tokenAddress.origin);
  return new CredentialTransport(connections, googleTokens(credentials, endpoint), attachToken, rejectsToken, endpoint);
}

/**
 * Returns the credentials, or null if they are invalid. With invalid credentials, only the calls that need them fail.
 */
function readable(target: TargetSettings): GoogleCredentials | null {
  try {
    return readGoogleCredentials(target);
  } catch {
    return null;
  }
}

/** Fails every call, for deployments without valid credentials. */
class RefusingTransport implements Transport {
  readonly #connections: Transport;

  constructor(connections: Transport) {
    this.#connections = connections;
  }

  send(): never {
    throw rejected("no Google credentials: set vertex_credentials or GOOGLE_APPLICATION_CREDENTIALS");
  }

  close(): Promise<void> {
    return this.#connections.close();
  }
}
