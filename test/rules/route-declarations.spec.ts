import { All, Controller, Get, Version, VersioningType } from '@nestjs/common';
import { ApplicationConfig } from '@nestjs/core';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Throttle } from '@nestjs/throttler';
import { describe, expect, it } from 'vitest';
import { Public } from '../../src/common/access/index.js';
import { Operation } from '../../src/common/openapi/index.js';
import { startTestApp } from '../support/test-app.js';

const DESCRIPTION = { summary: 'Look in', description: 'From outside.', message: 'Seen' };

@Public()
@Controller()
class ManifoldController {
  @All('keys')
  @Operation(DESCRIPTION)
  turn(): void {}

  @Get(['hinges', 'handles'])
  @Operation(DESCRIPTION)
  move(): void {}
}

@Controller('windows')
class ThrottledController {
  @Public()
  @Throttle({ default: { limit: 2, ttl: 60_000 } })
  @Get()
  read(): void {}
}

@Controller('benches')
class VersionedController {
  @Public()
  @Version('2')
  @Get()
  read(): void {}
}

@Controller({ path: 'stools', version: '2' })
class VersionedAsAWholeController {
  @Public()
  @Get()
  read(): void {}
}

@Public()
@Controller('tables')
class UndescribedController {
  @Get()
  listTables(): void {}
}

@Public()
@Controller('chairs')
class NamesakeController {
  @Get()
  @Operation({ summary: 'Read a chair', description: 'It is no account.', message: 'Chair' })
  getProfile(): void {}
}

/** Called as the document's own. */
class Pagination {
  @ApiProperty({ example: 7 })
  rooms: number;
}

/** Called as one of the service's. */
class UserDto {
  @ApiProperty({ example: 7 })
  rooms: number;
}

class HouseDto {
  @ApiProperty({ type: () => [UserDto] })
  users: UserDto[];
}

@ApiSchema({ name: 'Garden' })
class FieldError {
  @ApiProperty({ type: HouseDto })
  house: HouseDto;
}

@Public()
@Controller('ladders')
class ReservedController {
  @Get()
  @Operation(DESCRIPTION)
  resource(): void {}
}

@Public()
@Controller('houses')
class NamesakesController {
  @Get('rooms')
  @Operation({ ...DESCRIPTION, data: Pagination })
  countRooms(): Pagination {
    return { rooms: 7 };
  }

  @Get()
  @Operation({ ...DESCRIPTION, data: FieldError })
  getHouse(): unknown {
    return {};
  }
}

describe('Declarations of routes', () => {
  it.each([
    [
      ThrottledController,
      /^Routes with a decorator of @nestjs\/throttler, .+:\n {2}GET \/windows \(ThrottledController.read\)\n.+limit/,
    ],
    [
      [VersionedController, VersionedAsAWholeController],
      /^Routes with a version, .+:\n {2}GET \/benches .+\n {2}GET \/stools .+\n.+@Controller\('api\/v2/,
    ],
    [
      UndescribedController,
      /^Routes that do not say what they answer:\n {2}GET \/tables \(UndescribedController.listTables\)\n.+@Operation/,
    ],
    [
      ManifoldController,
      /^Routes whose handlers serve several .+:\n {2}ALL \/keys .+\n {2}GET \/hinges .+\n.+a handler of its own/,
    ],
    [
      NamesakesController,
      /^Routes with classes that share a name:\n(.*\n)* {2}GET \/houses\/rooms .+\n {2}GET \/houses .+\n.+: rename yours of Pagination, UserDto\.$/,
    ],
    [
      NamesakeController,
      /^Routes whose handlers share a name:\n {2}GET .+\(ProfileController.getProfile\)\n {2}GET \/chairs .+\n.+operationId/,
    ],
    [
      ReservedController,
      /^Routes whose handlers have a reserved name:\n {2}GET \/ladders \(ReservedController.resource\)\n.+rename it\.$/,
    ],
  ])('that nobody would heed are refused when the service starts', async (controllers, message) => {
    const extension = { module: class {}, controllers: [controllers].flat() };
    await expect(startTestApp({ extensions: [extension] })).rejects.toThrow(message);
  });

  it.each([
    ['a prefix', (config: ApplicationConfig) => config.setGlobalPrefix('v9')],
    ['versions', (config: ApplicationConfig) => config.enableVersioning({ type: VersioningType.URI })],
  ])('are not moved, as a whole, by %s: the service does not start', async (_, move) => {
    const mover = { provide: 'MOVER', useFactory: move, inject: [ApplicationConfig] };
    const extension = { module: class {}, providers: [mover] };
    await expect(startTestApp({ extensions: [extension] })).rejects.toThrow(/setGlobalPrefix.+@Controller\('api\/v2/s);
  });
});
