/** A participant, as far as the fix of its refusal depends on it. */
interface RefusingParticipant {
  readonly tokenEnv: string | null;
  readonly logFile: string | null;
}

/** Suggests a fix for a refusal, addressed to the user who runs the plan. */
export function describeFix(code: string, what: string, { tokenEnv, logFile }: RefusingParticipant): string {
  const log = logFile === null ? "See the participant's log" : `See its output: ${logFile}`;
  switch (code) {
    case "UNREACHABLE":
      return logFile === null
        ? "Start the participant, and check the URL, port, and firewall"
        : `The participant has exited. ${log}`;
    case "UNAUTHORIZED":
      return tokenEnv === null
        ? "Provide its token: set tokenEnv in the plan, or PARTICIPANT_TOKEN for a single URL"
        : `Set ${tokenEnv} to the participant's token`;
    case "NOT_REGISTERED":
      return `Register a function for ${what} at the participant, or remove ${what} from its roles`;
    case "NOT_FOUND":
      return "Register a dataset with this name at the participant, or use another one in the plan";
    case "BUSY":
      return "Wait until its job is done, or configure a queue (maxQueue)";
    case "PAYLOAD_TOO_LARGE":
      return "Raise the participant's limits, or use an SDK that supports frames";
    case "INVALID_RESULT":
      return `Return a valid result from ${what}: bytes for train and aggregate, a finite number for evaluate`;
    case "INCOMPATIBLE_PARAMETERS":
      return `Make ${what} accept the parameters that train returned`;
    case "HANDLER_TIMEOUT":
    case "TIMEOUT":
      return "Allow more time with --timeout";
    case "HANDLER_ERROR":
      return `The function for ${what} failed. ${log}`;
    default:
      return log;
  }
}
