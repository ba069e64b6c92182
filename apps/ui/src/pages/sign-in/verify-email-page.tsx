import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { client } from "../../api/client.ts";
import { ErrorText } from "../../components/error-text.tsx";
import { Notice } from "../../components/notice.tsx";
import { readLinkToken } from "./link-token.ts";
import { SignInFrame } from "./sign-in-frame.tsx";

type Outcome = { readonly kind: "waiting" | "done" } | { readonly kind: "failed"; readonly error: unknown };

/** Target of verification links. Creates the account and shows a confirmation. */
export function VerifyEmailPage() {
  const [outcome, setOutcome] = useState<Outcome>({ kind: "waiting" });
  const isSent = useRef(false);
  useEffect(() => {
    // The link can be used only once, and this effect runs twice in development.
    if (isSent.current) return;
    isSent.current = true;
    const token = readLinkToken();
    if (token === null)
      return setOutcome({
        kind: "failed",
        error: new Error("This link is incomplete. Open the link from the email again."),
      });
    client.call("verifyEmail", { body: { token } }).then(
      () => setOutcome({ kind: "done" }),
      (error: unknown) => setOutcome({ kind: "failed", error }),
    );
  }, []);
  return (
    <SignInFrame
      title="Verify your email"
      beside={
        <Link to="/login" className="text-accent underline">
          Sign in
        </Link>
      }
    >
      {outcome.kind === "waiting" && <p role="status">Verifying…</p>}
      {outcome.kind === "done" && <p role="status">Email address verified. Sign in with your password.</p>}
      {outcome.kind === "failed" && (
        <Notice tone="danger">
          <ErrorText error={outcome.error} />
        </Notice>
      )}
    </SignInFrame>
  );
}
