import { getServers, setServers } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { afterEach, describe, expect, it } from 'vitest';
import { formatReply, FrameReader, parseRequest } from './embedded-mongodb/wire/message.js';
import { waitForServer } from './wait-for-server.js';

type Reply = Record<string, unknown>;
type Answers = Partial<Record<'login' | 'command', () => Reply>>;

const HELLO = {
  ok: 1,
  isWritablePrimary: true,
  helloOk: true,
  minWireVersion: 0,
  maxWireVersion: 25,
  logicalSessionTimeoutMinutes: 30,
};
const MEMBER = { ...HELLO, setName: 'rs0', hosts: ['127.0.0.1:27017'] };

describe('waitForServer', () => {
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  afterEach(() => {
    Logger.overrideLogger(false);
    for (const socket of sockets) socket.destroy();
    for (const server of servers.splice(0)) server.close();
  });

  /** A server that says this of itself; otherwise to somebody who logs in, or who asks in a session as the service does. */
  const listen = async (hello: Reply, { login = () => ({ ok: 1 }), command = () => hello }: Answers = {}) => {
    const answer = (asked: object) => ('saslStart' in asked ? login() : 'lsid' in asked ? command() : hello);
    const server = createServer((socket) => {
      const frames = new FrameReader();
      sockets.add(socket.on('error', () => undefined));
      socket.once('close', () => sockets.delete(socket));
      socket.on('data', (chunk) => {
        for (const frame of frames.push(chunk)) {
          const request = parseRequest(frame);
          socket.write(formatReply(request, answer(request.command)));
        }
      });
    }).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const listenToLog = () => {
    const told: string[] = [];
    const tell = (line: string) => void told.push(line);
    Logger.overrideLogger({ log: tell, warn: tell, error: tell });
    return told;
  };
  const uriOf = (port: number, user = '') => `mongodb://${user}127.0.0.1:${port}/?directConnection=true`;

  it('takes a member of a replica set and the router of a cluster without a word, and leaves no connection behind', async () => {
    const told = listenToLog();
    for (const hello of [MEMBER, { ...HELLO, msg: 'isdbgrid' }]) {
      const uri = uriOf(await listen(hello));
      expect(await waitForServer(uri, true)).toBe(uri);
    }
    await expect.poll(() => sockets.size).toBe(0);
    expect(told).toEqual([]);
  });

  it('refuses a single server at once, for it has no transactions, though it would wait for one that is away', async () => {
    await expect(waitForServer(uriOf(await listen(HELLO)), true)).rejects.toThrow(
      'MONGODB_URI must be a replica set or a cluster: a single server has no transactions',
    );
    await expect.poll(() => sockets.size).toBe(0);
  });

  it.each([
    [13, 'Unauthorized'],
    [18, 'AuthenticationFailed'],
    [8000, 'AtlasError'],
  ])('refuses at once credentials that the server refuses with %d, and shows none', async (code, codeName) => {
    const port = await listen(MEMBER, { login: () => ({ ok: 0, code, codeName, errmsg: 'bad auth' }) });
    const refusal = waitForServer(uriOf(port, 'ada:Secret-word1@'), true);
    await expect(refusal).rejects.toThrow(/^The database of MONGODB_URI refuses this user: bad auth$/);
  });

  it.each([
    ['127.0.0.1/?nothing=true', /nothing/],
    ['127.0.0.1:port/', /port/],
    ['127.0.0.1:99999/', /99999/],
    ['ada:p#ss@127.0.0.1/', /unescaped characters/],
  ])('refuses at once an address that cannot be one: %s', async (address, reason) => {
    const refusal = waitForServer(`mongodb://${address}`, true);
    await expect(refusal).rejects.toThrow(/^MONGODB_URI cannot be read: /);
    await expect(refusal).rejects.toThrow(reason);
  });

  it.each([
    ['readPreference=secondaryPreferred', /readPreference=secondaryPreferred: secondaries lag behind/],
    ['readPreference=nearest', /readPreference=nearest/],
    ['w=0', /w=0/],
    ['w=1', /w=1/],
    ['journal=false', /journal=false/],
    ['readConcernLevel=linearizable', /readConcernLevel=linearizable/],
    ['readConcernLevel=snapshot', /readConcernLevel=snapshot/],
    ['retryWrites=false', /retryWrites=false/],
  ])('refuses at once an address that asks for %s', async (options, reason) => {
    const uri = `${uriOf(await listen(MEMBER))}&${options}`;
    await expect(waitForServer(uri, true)).rejects.toThrow(reason);
  });

  it('takes an address that asks for what is safe', async () => {
    const uri = `${uriOf(await listen(MEMBER))}&readPreference=primary&w=majority&retryWrites=true&readConcernLevel=majority`;
    expect(await waitForServer(uri, true)).toBe(uri);
  });

  it('takes a look-up that fails for a server that does not answer yet', async () => {
    const servers = getServers();
    setServers(['127.0.0.1:1']);
    try {
      await expect(waitForServer('mongodb+srv://accounts.example.com/', false)).rejects.toThrow(
        /^The database of MONGODB_URI does not answer: querySrv /,
      );
    } finally {
      setServers(servers);
    }
  });

  it('takes servers of another replica set for such as do not answer, and says what is wrong with them', async () => {
    const uri = `mongodb://127.0.0.1:${await listen(MEMBER)}/?replicaSet=rs1`;
    await expect(waitForServer(uri, false)).rejects.toThrow(
      /does not answer: none of its servers is of the replica set/,
    );
  });

  it.each([
    ['tlsCAFile=/nowhere/it.pem', /^A file of MONGODB_URI cannot be read: ENOENT.*it\.pem/],
    ['tlsCertificateKeyFile=/nowhere/it.pem', /^A file of MONGODB_URI cannot be read: ENOENT.*it\.pem/],
    ['tlsCAFile=/', /^A file of MONGODB_URI cannot be read: EISDIR/],
  ])('refuses at once a file that cannot be read: %s', async (option, reason) => {
    const uri = `${uriOf(await listen(MEMBER))}&tls=true&${option}`;
    await expect(waitForServer(uri, true)).rejects.toThrow(reason);
  });

  it('tells somebody who does not wait that the server does not answer', async () => {
    const asked = [{ ok: 0, code: 91, codeName: 'ShutdownInProgress', errmsg: 'shutting down' }];
    const uri = uriOf(await listen(MEMBER, { command: () => asked.shift() ?? MEMBER }));
    await expect(waitForServer(uri, false)).rejects.toThrow(
      /^The database of MONGODB_URI does not answer: shutting down$/,
    );
    expect(await waitForServer(uri, false)).toBe(uri);
  });

  it('says so again where it waits for another reason', async () => {
    const told = listenToLog();
    const asked = ['shutting down', 'starting', 'shutting down', 'starting'].map((errmsg) => ({
      ok: 0,
      code: 91,
      errmsg,
    }));
    await waitForServer(uriOf(await listen(MEMBER, { command: () => asked.shift() ?? MEMBER })), true);
    const waiting = 'Waiting for the database of MONGODB_URI, which does not answer: ';
    expect(told).toEqual([`${waiting}shutting down`, `${waiting}starting`, 'The database answers']);
  });

  it.each([1, 2])(
    'waits until the server is there, and says so once, and once more when it is: %d in vain',
    async (times) => {
      const told = listenToLog();
      const away = { ok: 0, code: 91, codeName: 'ShutdownInProgress', errmsg: 'shutting down' };
      const asked = Array.from({ length: times }, () => away);
      const uri = uriOf(await listen(MEMBER, { command: () => asked.shift() ?? MEMBER }));
      expect(await waitForServer(uri, true)).toBe(uri);
      expect(asked).toEqual([]);
      expect(told).toEqual([
        'Waiting for the database of MONGODB_URI, which does not answer: shutting down',
        'The database answers',
      ]);
    },
  );
});
