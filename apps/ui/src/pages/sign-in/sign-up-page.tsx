import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { client } from "../../api/client.ts";
import { useConfig } from "../../api/config.ts";
import { Button } from "../../components/button.tsx";
import { ErrorText } from "../../components/error-text.tsx";
import { Field } from "../../components/field.tsx";
import { PasswordInput, TextInput } from "../../components/inputs.tsx";
import { Notice } from "../../components/notice.tsx";
import { useSearchState } from "../../router-search.ts";
import { enterConsole } from "./enter-console.ts";
import { readLinkToken } from "./link-token.ts";
import { SignInFrame } from "./sign-in-frame.tsx";

/** Sign-up with name, email, and password. Creates an account with an organization and a first team. */
export function SignUpPage() {
  const { signUp } = useConfig();
  const [{ next }] = useSearchState({ next: "" });
  const [failure, setFailure] = useState<unknown>(null);
  const [isSent, setSent] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const inviteToken = readLinkToken() ?? undefined;
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [email, password] = [String(form.get("email")).trim(), String(form.get("password"))];
    setBusy(true);
    setFailure(null);
    try {
      const answer = await client.call("signUp", {
        body: {
          email,
          password,
          name: String(form.get("name")).trim(),
          ...(inviteToken !== undefined && { inviteToken }),
        },
      });
      // If email addresses must be verified first, only an email is sent and no account exists yet.
      if (!("token" in answer)) return setSent(true);
      await client.call("createCookieSession", { body: { email, password } });
      enterConsole(next);
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  const signIn = (
    <>
      Already have an account?{" "}
      <Link to="/login" className="text-accent underline">
        Sign in
      </Link>
    </>
  );
  if (!signUp && inviteToken === undefined) {
    return (
      <SignInFrame title="Create an account" beside={signIn}>
        <p>Sign-up is by invitation only. Ask an organization owner or admin for an invitation.</p>
      </SignInFrame>
    );
  }
  if (isSent) {
    return (
      <SignInFrame title="Check your email" beside={signIn}>
        <p>
          We sent you a link to verify your email address. The link expires in one day. Your account is ready after you
          open the link.
        </p>
      </SignInFrame>
    );
  }
  return (
    <SignInFrame title="Create an account" beside={signIn}>
      <form onSubmit={(event) => void submit(event)} className="grid gap-4">
        {failure !== null && (
          <Notice tone="danger">
            <ErrorText error={failure} />
          </Notice>
        )}
        <Field label="Name">
          <TextInput name="name" autoComplete="name" required maxLength={100} autoFocus />
        </Field>
        <Field label="Email">
          <TextInput name="email" type="email" autoComplete="username" required />
        </Field>
        <Field label="Password" hint="Use 10 characters or more. A few words are easiest to remember.">
          <PasswordInput name="password" autoComplete="new-password" required />
        </Field>
        <Button variant="primary" size="lg" type="submit" busy={isBusy}>
          Create account
        </Button>
      </form>
    </SignInFrame>
  );
}
