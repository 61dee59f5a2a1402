import { expect } from 'vitest';
import type { ApiClient, ApiResponse } from '../api-client.js';
import {
  type Choices,
  command,
  expectEnded,
  expectRefusal,
  fromEnd,
  hasSession,
  newPassword,
  type Operation,
} from './command.js';
import type { AccountModel, ModelSession } from './model.js';
import type { AccountWorld } from './world.js';

interface SessionOperation {
  send(caller: ApiClient, session: ModelSession): Promise<ApiResponse>;
  /** The same for a request that was let in. */
  judge(model: AccountModel, session: ModelSession, answer: ApiResponse, world: AccountWorld): Promise<void> | void;
}

/** A request of a session, by one of its tokens. */
function bySession(model: AccountModel, chosen: Choices, { send, judge }: SessionOperation): Operation {
  const session = fromEnd(model.sessions, chosen.which);
  const token = fromEnd(session.accessTokens, chosen.other);
  return {
    send: (world) => send(world.client(chosen.at).as({ bearer: token.text }), session),
    judge(model, answer, world) {
      const present = model.session(session.id);
      const refusal = model.accessRefusal(present, token);
      if (!refusal) return judge(model, present, answer, world);
      expectRefusal(answer, 401, refusal);
    },
  };
}

export const refresh = command('refresh', ({ at, which, other }) => ({
  isPossible: hasSession,
  operation(model) {
    const { id, refreshTokens } = fromEnd(model.sessions, which);
    const generation = Math.max(refreshTokens.length - 1 - other, 0);
    const refresh_token = refreshTokens[generation]?.text;
    return {
      send: (world) => world.client(at).post('/auth/refresh-token', { refresh_token }),
      judge(model, answer) {
        const session = model.session(id);
        const outcome = model.refreshOutcome(session, generation);
        if ('refusal' in outcome) {
          expectRefusal(answer, 401, outcome.refusal);
          if (outcome.refusal === 'refresh_token_reused') model.end(outcome.refusal, [session]);
          return;
        }
        expect(answer.status).toBe(200);
        const { token, refresh_token: successor, expires_in } = answer.body.data;
        expect(expires_in).toBe(model.expiresIn(session));
        if (outcome.next === 'rotated') return model.rotate(session, token as string, successor as string);
        expect(successor).toBe(session.refreshTokens.at(-1)?.text);
        model.addAccessToken(session, token as string);
      },
    };
  },
}));

export const logout = command('logout', (chosen) => ({
  isPossible: hasSession,
  operation: (model) =>
    bySession(model, chosen, {
      send(caller, { refreshTokens }) {
        const refresh_token = fromEnd(refreshTokens, chosen.other).text;
        return caller.post('/auth/logout', { refresh_token, all_sessions: chosen.isAll });
      },
      judge(model, session, { status }) {
        expect(status).toBe(200);
        model.end('logged_out', chosen.isAll ? undefined : [session]);
      },
    }),
}));

export const reportLogin = command('its not me', (chosen) => ({
  isPossible: hasSession,
  operation: (model) =>
    bySession(model, chosen, {
      send: (caller, { refreshTokens }) =>
        caller.post('/auth/its-not-me', { refresh_token: fromEnd(refreshTokens, chosen.other).text }),
      async judge(model, _session, { status }, world) {
        expect(status).toBe(200);
        model.lockDown();
        await world.receive(model, 'security-alert');
      },
    }),
}));

export const reportByLink = command('report a login', ({ at, which }) => ({
  isPossible: hasSession,
  operation({ userId, sessions }) {
    const { id, recoveries, loggedInAt } = fromEnd(sessions, which);
    return {
      send: (world) =>
        world.client(at).post('/auth/report-login', {
          token: world.reportToken({ userId, sessionId: id, recoveries, loggedInAt: new Date(loggedInAt) }),
        }),
      async judge(model, answer, world) {
        const refusal = model.reportRefusal(model.session(id));
        if (refusal) return expectRefusal(answer, 400, refusal);
        expect(answer.status).toBe(200);
        model.lockDown();
        if (model.isActive) await world.receive(model, 'security-alert');
      },
    };
  },
}));

export const changePassword = command('change password', (chosen) => ({
  isPossible: hasSession,
  operation(model) {
    const password = newPassword();
    const current_password = chosen.isRight ? (model.passwords.at(-1) as string) : 'Wrong-pass1';
    return bySession(model, chosen, {
      send: (caller) =>
        caller.post('/api/profile/password', { current_password, password, password_confirmation: password }),
      judge(model, session, { status }) {
        const isRight = current_password === model.passwords.at(-1);
        if (chosen.isRight && model.triedToChangePassword() && status === 429) return;
        expect(status).toBe(isRight ? 200 : 422);
        if (!isRight) return;
        model.changePassword(password);
        const others = model.sessions.filter((other) => other !== session);
        model.end('password_changed', others);
      },
    });
  },
}));

export const changeNames = command('change names', (chosen) => ({
  isPossible: hasSession,
  operation(model) {
    const names = { first_name: `Ada ${newPassword()}`, ...(chosen.isAll ? { username: `${model.name}_2` } : {}) };
    return bySession(model, chosen, {
      send: (caller) => caller.patch('/api/profile', names),
      judge(model, _session, { status }) {
        expect(status).toBe(200);
        model.firstName = names.first_name;
        if (!names.username || names.username === model.username) return;
        model.username = names.username;
        model.mails['username-changed'] += 1;
        model.record('user_updated');
      },
    });
  },
}));

export const endOwnSession = command('end a session of one’s own', (chosen) => ({
  isPossible: hasSession,
  operation(model) {
    const { id, end } = fromEnd(model.sessions, chosen.isAll ? 0 : 1);
    return bySession(model, chosen, {
      send: (caller) => caller.delete(`/api/login-history/${id}`),
      judge(model, _session, answer) {
        expectEnded(answer, { before: end, now: model.session(id).end });
        model.end('session_revoked', [model.session(id)]);
      },
    });
  },
}));
