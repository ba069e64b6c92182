/** Key formats of real services. None matches a placeholder of a few letters. */
const FORMS: Readonly<Record<string, RegExp>> = {
  "an AWS access key": /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  "an OpenAI key": /\bsk-(?:proj-|svcacct-)?[\w-]{20,}T3BlbkFJ[\w-]{20,}/g,
  "an Anthropic key": /\bsk-ant-(?:api|admin)\d\d-[\w-]{80,}/g,
  "a Google key": /\bAIza[\w-]{35}\b/g,
  "a Stripe key": /\b[rs]k_live_[0-9A-Za-z]{20,}/g,
  "a GitHub token": /\b(?:gh[opsur]_[0-9A-Za-z]{36}|github_pat_\w{60,})/g,
  "a GitLab token": /\bglpat-[\w-]{20,}/g,
  "an npm token": /\bnpm_[0-9A-Za-z]{36}\b/g,
  "a PyPI token": /\bpypi-AgEIcHlwaS5vcmc[\w-]{50,}/g,
  "a Slack token": /\bxox[abpors]-[0-9A-Za-z-]{20,}/g,
  "a Hugging Face token": /\bhf_[A-Za-z]{34}\b/g,
  "a Groq key": /\bgsk_[0-9A-Za-z]{50,}/g,
  "one of our own keys": /\bsk-(?:tg|master)-[0-9A-Za-z]{40,}/g,
  "a private key": /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----\s+[\w+/=\s]{100,}/g,
};

/** Patterns that mark invented examples, including one repeated character. */
const INVENTED = /EXAMPLE|(.)\1{9}|0123456789|abcdefghij/i;

/** Finds likely secrets in a file by line and kind. Does not repeat the secret. */
export function findSecrets(path: string, text: string): string[] {
  return Object.entries(FORMS).flatMap(([kind, form]) =>
    [...text.matchAll(form)]
      .filter(([secret]) => !INVENTED.test(secret))
      .map(({ index }) => `${path}:${text.slice(0, index).split("\n").length} has what looks like ${kind}`),
  );
}
