import type { Logger } from "@tollgate/runtime/logger.ts";

interface Child {
  /** Ends the process or the thread with this exit code. Called only once. */
  readonly stop: (code: number) => Promise<void>;
  readonly reload: () => Promise<void>;
  readonly logger: Logger;
}

/**
 * Stops a child when the supervisor asks it to stop, when the supervisor exits, or after an unexpected error. Notifies
 * the supervisor when the child is ready.
 */
export function handleSupervisorMessages({ stop, reload, logger }: Child): void {
  const stopOnce = stopOnError(stop, logger);
  process.on("SIGTERM", () => stopOnce(0));
  process.on("message", (message) => message === "stop" && stopOnce(0));
  // Ignore Ctrl-C in a terminal, because it also reaches the supervisor, which stops its children.
  process.on("SIGINT", () => {});
  process.on("SIGUSR2", () => {});
  process.on("disconnect", () => stopOnce(0));
  reloadOnSighup(reload, logger);
  process.send?.("ready");
}

/**
 * Stops a process or a thread after an unexpected error. Returns the function that stops it for another reason, once.
 * In a thread, errors of other threads are not reported.
 */
export function stopOnError(stop: Child["stop"], logger: Logger): (code: number) => void {
  let isStopping = false;
  const stopOnce = (code: number) => {
    if (isStopping) return;
    isStopping = true;
    void stop(code);
  };
  const leave = (error: unknown) => {
    logger.error("exiting after an unexpected error", { error });
    stopOnce(1);
  };
  process.on("uncaughtException", leave);
  process.on("unhandledRejection", leave);
  return stopOnce;
}

/** Reloads the settings on SIGHUP. Invalid settings are rejected. */
export function reloadOnSighup(reload: () => Promise<void>, logger: Logger): void {
  process.on("SIGHUP", () => {
    reload().then(
      () => logger.info("settings reloaded"),
      (error: unknown) => logger.error("could not reload settings; the previous ones stay in effect", { error }),
    );
  });
}
