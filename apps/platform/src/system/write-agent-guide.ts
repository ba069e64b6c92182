interface GuideFacts {
  /** Base URL at which the reader reaches this server, without a trailing slash. */
  readonly origin: string;
  readonly simulatesPayments: boolean;
  readonly isSignUpOpen: boolean;
}

/** Writes a guide to this server's API as a series of commands that work when run in order. */
export function writeAgentGuide({ origin, simulatesPayments, isSignUpOpen }: GuideFacts): string {
  return `# Tollgate: guide for coding agents

One OpenAI-compatible endpoint for many models (\`${origin}/v1\`) and a management API (\`${origin}/api\`).
Two credentials, never mixed: a **token** (\`Authorization: Bearer <JWT>\`) for \`/api\`, an **API key**
(\`x-gw-api-key: sk-…\`) for \`/v1\`. Amounts are integers in nano-USD: 1 USD = 1000000000.

All paths, fields, and responses: \`${origin}/api/openapi.json\` and \`${origin}/openapi.json\`.

## 1. Get a token

${isSignUpOpen ? signUpSection(origin) : "Sign-up is not open here. Ask an administrator for an invitation.\n"}
\`\`\`sh
TOKEN=$(curl -s ${origin}/api/auth/token -H 'content-type: application/json' \\
  -d '{"email":"you@example.org","password":"a long password of yours"}' | jq -r .token)
\`\`\`

Tokens are valid for 24 hours. To replace one, send it to \`POST /api/auth/token/refresh\`.

## 2. Buy credit

\`\`\`sh
curl -s ${origin}/api/balance -H "authorization: Bearer $TOKEN"
curl -s ${origin}/api/credits/purchases -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' \\
  -H "idempotency-key: $(uuidgen)" -d '{"amount":5000000000}'
\`\`\`

${simulatesPayments ? simulateSection(origin) : "Open `checkoutUrl` from the response in a browser to pay. A human must do this.\n"}
## 3. Create a key

\`\`\`sh
TEAM=$(curl -s ${origin}/api/gw/teams -H "authorization: Bearer $TOKEN" | jq -r '.data[0].id')
KEY=$(curl -s ${origin}/api/gw/api-keys -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' \\
  -d "{\\"name\\":\\"agent\\",\\"team_id\\":\\"$TEAM\\"}" | jq -r .apiKey.token)
\`\`\`

The secret is shown only once. Store it in an environment variable, never in a file under version control.

## 4. Call a model

\`\`\`sh
curl -s ${origin}/api/models | jq -r '.data[].id'
curl -s ${origin}/v1/chat/completions -H "x-gw-api-key: $KEY" -H 'content-type: application/json' \\
  -d '{"model":"MODEL","messages":[{"role":"user","content":"hello"}]}'
\`\`\`

Any OpenAI SDK works with base URL \`${origin}/v1\` and the key as its API key.

## 5. See what it cost

\`\`\`sh
curl -s "${origin}/api/gw/logs?pageSize=5" -H "authorization: Bearer $TOKEN"
\`\`\`

## Errors

| Response | Meaning | Action |
|---|---|---|
| 401 \`UNAUTHORIZED\` | no token, or it has expired | sign in again |
| 402, or 429 with type \`insufficient_quota\` | no credit left, or a budget is exhausted | buy credit; do not retry |
| 403 \`TEAM_BLOCKED\` | the balance is below zero | buy credit |
| 404 \`NOT_FOUND\` | not found, or no access | check the ID and the active organization |
| 409 | a duplicate or a state that does not allow it | read \`details.reason\` |
| 429 with \`Retry-After\` | too many requests | wait that many seconds |
| 503 \`DB_TIMEOUT\` | temporary | retry after a second, changes with the same \`Idempotency-Key\` |

Lists are \`{data, meta: {page, pageSize, total, totalPages}}\`; \`?page=2&pageSize=100\`.
`;
}

function signUpSection(origin: string): string {
  return `\`\`\`sh
curl -s ${origin}/api/auth/sign-up -H 'content-type: application/json' \\
  -d '{"email":"you@example.org","password":"a long password of yours","name":"You"}'
\`\`\`

This also creates an organization and a team named Default. If the account already exists:
`;
}

function simulateSection(origin: string): string {
  return `Payments are simulated here. With \`purchase.id\` from the response:

\`\`\`sh
curl -s ${origin}/api/credits/purchases/PURCHASE/simulate -H "authorization: Bearer $TOKEN" \\
  -H 'content-type: application/json' -d '{"outcome":"paid"}'
\`\`\`
`;
}
