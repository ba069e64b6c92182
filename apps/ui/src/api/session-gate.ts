/** What a person is asked for in place, so that no form is lost: to sign in again, or to show the password once more. */
export type ReauthenticationRequest = "sign_in" | "password";

type Listener = (request: ReauthenticationRequest | null) => void;

let waiting: { readonly request: ReauthenticationRequest; readonly settle: (passed: boolean) => void }[] = [];
let listener: Listener = () => {};
let hasSession = false;

/** From now on an ended session is asked for in place instead of leaving the page. */
export function noteSession(isSignedIn: boolean): void {
  hasSession = isSignedIn;
}

export function onGateRequest(next: Listener): () => void {
  listener = next;
  return () => {
    listener = () => {};
  };
}

/** Resolves once the person has done what is asked; false when they would not. All who wait share one question. */
export function requestReauthentication(request: ReauthenticationRequest): Promise<boolean> {
  if (!hasSession) return Promise.resolve(false);
  const passed = new Promise<boolean>((settle) => waiting.push({ request, settle }));
  listener(waiting[0]?.request ?? null);
  return passed;
}

/** The answer of the person, for everybody who waits. */
export function closeReauthentication(passed: boolean): void {
  const asked = waiting;
  waiting = [];
  listener(null);
  for (const { settle } of asked) settle(passed);
}
