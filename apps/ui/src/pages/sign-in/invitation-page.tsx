import { Link, useNavigate } from "@tanstack/react-router";
import { ApiError } from "@tollgate/sdk/platform";
import { useState } from "react";
import { client } from "../../api/client.ts";
import { Button } from "../../components/button.tsx";
import { ErrorText } from "../../components/error-text.tsx";
import { Notice } from "../../components/notice.tsx";
import { enterConsole } from "./enter-console.ts";
import { readLinkToken } from "./link-token.ts";
import { SignInFrame } from "./sign-in-frame.tsx";

/** Target of invitation links. Signed-in users join, and other users create an account first. */
export function InvitationPage() {
  const navigate = useNavigate();
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const token = readLinkToken();
  const accept = async () => {
    setBusy(true);
    try {
      await client.call("acceptInvitation", { body: { token: token ?? "" } });
      enterConsole("/");
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) {
        return void navigate({ to: "/signup", hash: `token=${token}` });
      }
      setFailure(error);
      setBusy(false);
    }
  };
  return (
    <SignInFrame title="Accept invitation">
      {token === null && (
        <Notice tone="danger">This link is incomplete. Open the link from the invitation again.</Notice>
      )}
      {failure !== null && (
        <Notice tone="danger">
          <ErrorText error={failure} />
        </Notice>
      )}
      <p>Use the account with the email address that the invitation was sent to.</p>
      <Button variant="primary" size="lg" onClick={() => void accept()} busy={isBusy} disabled={token === null}>
        Accept invitation
      </Button>
      <p className="text-table text-muted">
        New here?{" "}
        <Link to="/signup" hash={`token=${token ?? ""}`} className="text-accent underline">
          Create an account
        </Link>
        . Already have an account?{" "}
        <Link to="/login" className="text-accent underline">
          Sign in
        </Link>{" "}
        first, then open the link again.
      </p>
    </SignInFrame>
  );
}
