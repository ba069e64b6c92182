import type { Answer } from "../operation.ts";
import type { Services } from "../services.ts";
import { sessionCookie } from "./session-cookie.ts";
import type { SessionClaims } from "./token-issuer.ts";

/** Returns a new token in the same form as the old one: in the body, or as a cookie that scripts can't read. */
export async function answerToken(
  services: Services,
  claims: SessionClaims,
  { isCookie, sessionExpiresAt }: { readonly isCookie: boolean; readonly sessionExpiresAt: Date },
): Promise<Answer> {
  const issued = await services.tokens.issue(claims);
  if (!isCookie) return { status: 200, body: issued };
  const maxAgeMs = sessionExpiresAt.getTime() - services.now().getTime();
  return { status: 204, headers: sessionCookie(services.settings(), issued.token, maxAgeMs) };
}
