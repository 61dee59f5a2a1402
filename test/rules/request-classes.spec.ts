import { Body, Controller, Get, Param, ParseIntPipe, Post, Query } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { Allow, ArrayMaxSize, IsArray, IsNotEmptyObject, IsObject, ValidateNested } from 'class-validator';
import { describe, expect, it } from 'vitest';
import { Public } from '../../src/common/access/index.js';
import { Operation } from '../../src/common/openapi/index.js';
import { IsNotBlank, IsPlainText } from '../../src/common/validation/index.js';
import { startTestApp } from '../support/test-app.js';

const DESCRIPTION = { summary: 'Look in', description: 'From outside.', message: 'Seen' };

class Lock {
  @IsNotBlank()
  code: string;
}

class Chest {
  @ValidateNested()
  lock: Lock;

  @ValidateNested({ each: true })
  @IsObject()
  @IsArray()
  locks: Lock[];

  @IsPlainText({ each: true })
  labels: string[];
}

class Key {
  @ApiProperty({ example: 'iron' })
  @IsPlainText()
  metal: string;
}

class Ring {
  @ApiProperty()
  @ValidateNested()
  @IsObject()
  @Type(() => Key)
  key: Key;

  @ApiProperty()
  @ValidateNested()
  @IsNotEmptyObject()
  @Type(() => Key)
  spare: Key;

  @ApiProperty({ type: [Key] })
  @ValidateNested({ each: true })
  @IsObject({ each: true })
  @Type(() => Key)
  @IsArray()
  @ArrayMaxSize(5)
  others: Key[];
}

@Public()
@Controller('rings')
class RingController {
  @Post()
  @Operation(DESCRIPTION)
  fill(@Body() _ring: Ring): void {}
}

@Public()
@Controller('chests')
class LooseController {
  @Post()
  @Operation(DESCRIPTION)
  build(@Body() _chest: Chest): void {}
}

@Public()
@Controller('locks')
class SecretiveController {
  @Get()
  @Operation(DESCRIPTION)
  tryLock(@Query() _lock: Lock): void {}
}

class NewDoor {
  name: string;
}

/** An interface, a list and so on: nothing is left of them when the service runs. */
@Public()
@Controller('gates')
class UnguardedController {
  @Post('interface')
  open(@Body() _gate: { code: string }): void {}

  @Post('partial')
  change(@Body() _gate: Partial<Key>): void {}

  @Post('list')
  replace(@Body() _gates: Key[]): void {}

  @Post('field')
  unlock(@Body('code') _code: string): void {}

  @Get('number')
  count(@Query('n') _n: number): void {}

  @Get('date/:when')
  wait(@Param('when') _when: Date): void {}
}

@Public()
@Controller('fences')
class SafeController {
  @Get(':name/:number')
  @Operation(DESCRIPTION)
  lookOver(@Param('name') name: string, @Param('number', ParseIntPipe) number: number): unknown {
    return [name, number];
  }
}

class Hatch {
  @ApiProperty({ example: 'iron' })
  metal: string;

  @ApiProperty({ example: 'round' })
  @Allow()
  shape: string;
}

@Public()
@Controller('hatches')
class BoastfulController {
  @Post()
  @Operation(DESCRIPTION)
  openHatch(@Body() _hatch: Hatch): void {}
}

@Public()
@Controller('doors')
class UnreadableController {
  @Post()
  add(@Body() _door: NewDoor): void {}
}

describe('What routes take', () => {
  it.each([
    [
      UnguardedController,
      new RegExp(
        [
          '^Routes with a body, a query or a parameter that nothing validates:',
          'POST /gates/interface',
          'POST /gates/partial',
          'POST /gates/list',
          'POST /gates/field',
          'GET /gates/number',
          'GET /gates/date/:when',
          'Its type must be a class with rules',
        ].join('.*\n? *'),
      ),
    ],
    [
      UnreadableController,
      /^Routes whose parameters no request can meet:\n {2}POST \/doors \(UnreadableController.add\)\n.+class-validator/,
    ],
    [
      LooseController,
      /^Routes that would take a list for an object, .+:\n {2}POST \/chests .+\n.+@IsObject.+ on Chest\.lock, Chest\.locks, Chest\.labels\.$/,
    ],
    [
      SecretiveController,
      /^Routes that take what the OpenAPI document does not tell of:\n {2}GET \/locks .+\n.+ApiProperty.+ on Lock\.code\.$/,
    ],
    [
      BoastfulController,
      /^Routes that refuse what the OpenAPI document tells of:\n {2}POST \/hatches .+\n.+class-validator.+ on Hatch\.metal\.$/,
    ],
  ])('is refused when the service starts if requests would not be as it says', async (controllers, message) => {
    const extension = { module: class {}, controllers: [controllers].flat() };
    await expect(startTestApp({ extensions: [extension] })).rejects.toThrow(message);
  });

  it('is an object, or a list of objects, where it says so', async () => {
    const key = { metal: 'iron' };
    const ring = { key, spare: key, others: [key] };
    const test = await startTestApp({ extensions: [{ module: class {}, controllers: [RingController] }] });
    const send = async (change: object) => (await test.client().post('/rings', { ...ring, ...change })).status;
    expect([await send({}), await send({ others: [] })]).toEqual([200, 200]);
    for (const wrong of [
      { key: [] },
      { key: [key] },
      { spare: [] },
      { others: key },
      { others: { key } },
      { others: [[]] },
      { others: [[key]] },
      { key: { ...key, toString: 'x' } },
      { others: [key, { ...key, constructor: 'x' }] },
    ]) {
      expect(await send(wrong), JSON.stringify(wrong)).toBe(422);
    }
    await test.close();
  });

  it('may be a text of the path as it is, and what a pipe of its own has made', async () => {
    const test = await startTestApp({ extensions: [{ module: class {}, controllers: [SafeController] }] });
    expect((await test.client().get('/fences/high/7')).body.data).toEqual(['high', 7]);
    expect((await test.client().get('/fences/high/seven')).status).toBe(400);
    await test.close();
  });
});
