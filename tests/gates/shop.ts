/** A repository in ten languages that is small enough to read and large enough for all the faults. */
export const SHOP: Record<string, string> = {
  'README.md': '# Shop\n\nA shop in ten languages.\n',
  'package.json': `${JSON.stringify(
    {
      name: 'shop',
      version: '1.0.0',
      scripts: { build: 'tsc -p .', test: 'vitest run', lint: 'eslint .' },
      dependencies: { dayjs: '^1.11.0' },
    },
    null,
    2,
  )}\n`,
  'tsconfig.json':
    '{\n  "compilerOptions": {\n    "target": "es2022",\n    "strict": true,\n    "noUnusedLocals": true\n  }\n}\n',
  'vitest.config.ts':
    "import { defineConfig } from 'vitest/config';\n\nexport default defineConfig({ test: { coverage: { thresholds: { lines: 90 } } } });\n",
  Makefile:
    'build:\n\tgcc -O2 -o shop c/ring.c\n\ntest:\n\tgo test ./...\n\tpytest py\n\nclean:\n\trm -f shop\n',
  'pyproject.toml':
    '[project]\nname = "shop"\nversion = "1.0.0"\n\n[tool.pytest.ini_options]\naddopts = "-q --strict-markers"\n\n[tool.coverage.report]\nfail_under = 90\n',
  '.github/workflows/ci.yml':
    'name: ci\non: [push]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: npm ci\n      - run: npm test\n',
  '.guildhall/checks.yaml': 'checks:\n  - name: test\n    command: npm test\n    minutes: 10\n',
  'scripts/check.sh': '#!/bin/sh\nset -e\nnpm run lint\nnpm test\n',

  'js/src/cart.ts': `import { priceOf } from './price.js';

export interface Line {
  sku: string;
  count: number;
}

/** What a cart costs, in cents. */
export function totalOf(lines: readonly Line[]): number {
  let total = 0;
  for (const { sku, count } of lines) {
    if (count < 0) throw new RangeError('count must not be negative');
    total += priceOf(sku) * count;
  }
  return total;
}

export const isEmpty = (lines: readonly Line[]): boolean => lines.every(({ count }) => count === 0);
`,
  'js/src/price.ts': `const PRICES: Record<string, number> = { apple: 50, pear: 70 };

export function priceOf(sku: string): number {
  const price = PRICES[sku];
  if (price === undefined) throw new Error(\`Unknown sku \${sku}\`);
  return price;
}
`,
  'js/src/mail.ts': `export function letterFor(name: string, total: number): string {
  const amount = (total / 100).toFixed(2);
  return \`Dear \${name}, you owe \${amount}.\`;
}
`,
  'js/tests/cart.test.ts': `import { describe, expect, it } from 'vitest';
import { isEmpty, totalOf } from '../src/cart.js';

describe('totalOf', () => {
  it('adds up what is in the cart', () => {
    expect(totalOf([{ sku: 'apple', count: 2 }])).toBe(100);
  });

  it('refuses a negative count', () => {
    expect(() => totalOf([{ sku: 'apple', count: -1 }])).toThrow(RangeError);
  });

  it('is nothing for an empty cart', () => {
    expect(totalOf([])).toBe(0);
    expect(isEmpty([])).toBe(true);
  });
});
`,
  'js/tests/price.test.ts': `import { expect, test } from 'vitest';
import { priceOf } from '../src/price.js';

test('knows the price of an apple', () => {
  expect(priceOf('apple')).toBe(50);
});

test('refuses what it does not know', () => {
  expect(() => priceOf('moon')).toThrow('Unknown sku moon');
});
`,

  'py/shop/stock.py': `"""What is in stock."""


class OutOfStock(Exception):
    pass


class Stock:
    def __init__(self):
        self._counts = {}

    def add(self, sku, count):
        if count <= 0:
            raise ValueError("count must be positive")
        self._counts[sku] = self._counts.get(sku, 0) + count

    def take(self, sku, count):
        """Takes so many out."""
        have = self._counts.get(sku, 0)
        if have < count:
            raise OutOfStock(sku)
        self._counts[sku] = have - count
        return self._counts[sku]


def reorder_level(sales, days):
    mean = sum(sales) / max(1, len(sales))
    return round(mean * days)
`,
  'py/shop/report.py': `def summary(rows):
    total = sum(row["cents"] for row in rows)
    return f"{len(rows)} rows, {total / 100:.2f}"
`,
  'py/tests/test_stock.py': `import pytest

from shop.stock import OutOfStock, Stock, reorder_level


def test_takes_what_is_there():
    stock = Stock()
    stock.add("apple", 3)
    assert stock.take("apple", 2) == 1


def test_refuses_more_than_there_is():
    stock = Stock()
    with pytest.raises(OutOfStock):
        stock.take("apple", 1)


@pytest.mark.parametrize("count", [0, -1])
def test_adds_only_what_counts(count):
    with pytest.raises(ValueError):
        Stock().add("apple", count)


def test_reorder_level():
    assert reorder_level([1, 2, 3], 2) == 4
`,

  'go/go.mod': 'module shop\n\ngo 1.22\n',
  'go/ship/ship.go': `package ship

import "errors"

// ErrHeavy says that a parcel is too heavy.
var ErrHeavy = errors.New("too heavy")

// Cost is what a parcel costs to send, in cents.
func Cost(grams int) (int, error) {
	if grams > 30000 {
		return 0, ErrHeavy
	}
	if grams <= 1000 {
		return 399, nil
	}
	return 399 + (grams-1000)/1000*150, nil
}

// Days tells how long it takes.
func Days(country string) int {
	switch country {
	case "DE":
		return 2
	case "FR", "NL":
		return 4
	default:
		return 10
	}
}
`,
  'go/ship/ship_test.go': `package ship

import "testing"

func TestCostOfALightParcel(t *testing.T) {
	cost, err := Cost(500)
	if err != nil || cost != 399 {
		t.Fatalf("got %d, %v", cost, err)
	}
}

func TestRefusesAHeavyParcel(t *testing.T) {
	if _, err := Cost(40000); err != ErrHeavy {
		t.Errorf("got %v", err)
	}
}

func TestDays(t *testing.T) {
	if Days("DE") != 2 {
		t.Error("DE takes two days")
	}
	if Days("US") != 10 {
		t.Error("US takes ten days")
	}
}
`,

  'rust/Cargo.toml': '[package]\nname = "tax"\nversion = "0.1.0"\nedition = "2021"\n',
  'rust/src/lib.rs': `/// The tax on an amount, in cents.
pub fn tax(cents: u64, percent: u64) -> u64 {
    (cents * percent + 50) / 100
}

pub fn parse_percent(text: &str) -> Result<u64, String> {
    let trimmed = text.trim_end_matches('%').trim();
    let value: u64 = trimmed.parse().map_err(|_| format!("no number: {text}"))?;
    if value > 100 {
        return Err(format!("too much: {value}"));
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_to_the_nearest_cent() {
        assert_eq!(tax(101, 19), 19);
        assert_eq!(tax(103, 19), 20);
    }

    #[test]
    fn reads_a_percentage() {
        assert_eq!(parse_percent("19%"), Ok(19));
    }

    #[test]
    fn refuses_more_than_all() {
        assert!(parse_percent("101").is_err());
    }
}
`,

  'java/src/main/java/shop/Order.java': `package shop;

import java.util.ArrayList;
import java.util.List;

public class Order {
    private final List<String> items = new ArrayList<>();
    private boolean paid;

    public void add(String item) {
        if (paid) {
            throw new IllegalStateException("The order is paid");
        }
        items.add(item);
    }

    public void pay() {
        if (items.isEmpty()) {
            throw new IllegalStateException("The order is empty");
        }
        paid = true;
    }

    public int size() {
        return items.size();
    }
}
`,
  'java/src/test/java/shop/OrderTest.java': `package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class OrderTest {
    @Test
    void holdsWhatWasAdded() {
        Order order = new Order();
        order.add("apple");
        assertEquals(1, order.size());
    }

    @Test
    void takesNothingOnceItIsPaid() {
        Order order = new Order();
        order.add("apple");
        order.pay();
        assertThrows(IllegalStateException.class, () -> order.add("pear"));
    }

    @Test
    void isNotPaidWhileEmpty() {
        assertThrows(IllegalStateException.class, () -> new Order().pay());
    }
}
`,

  'ruby/lib/invoice.rb': `class Invoice
  attr_reader :lines

  def initialize(lines)
    @lines = lines
  end

  def total
    lines.sum { |line| line[:cents] * line[:count] }
  end

  def overdue?(today, due)
    days = (today - due).to_i
    days > 14
  end
end
`,
  'ruby/spec/invoice_spec.rb': `require 'invoice'

RSpec.describe Invoice do
  it 'adds up its lines' do
    invoice = Invoice.new([{ cents: 50, count: 2 }])
    expect(invoice.total).to eq(100)
  end

  it 'is nothing without lines' do
    expect(Invoice.new([]).total).to eq(0)
  end

  describe 'overdue?' do
    it 'waits for two weeks' do
      expect(Invoice.new([]).overdue?(Date.new(2024, 1, 15), Date.new(2024, 1, 1))).to be(false)
    end
  end
end
`,

  'php/src/Coupon.php': `<?php

namespace Shop;

final class Coupon
{
    public function __construct(private string $code, private int $percent)
    {
    }

    public function apply(int $cents): int
    {
        if ($this->percent < 0 || $this->percent > 100) {
            throw new \\RangeException('percent out of range');
        }
        return (int) round($cents * (100 - $this->percent) / 100);
    }

    public function isValid(string $code): bool
    {
        return hash_equals(strtoupper($this->code), strtoupper($code));
    }
}
`,
  'php/tests/CouponTest.php': `<?php

namespace Shop\\Tests;

use PHPUnit\\Framework\\TestCase;
use Shop\\Coupon;

final class CouponTest extends TestCase
{
    public function testTakesOffThePercentage(): void
    {
        $this->assertSame(90, (new Coupon('TEN', 10))->apply(100));
    }

    public function testKnowsItsCodeInAnyCase(): void
    {
        $this->assertTrue((new Coupon('TEN', 10))->isValid('ten'));
        $this->assertFalse((new Coupon('TEN', 10))->isValid('nine'));
    }

    public function testRefusesMoreThanAll(): void
    {
        $this->expectException(\\RangeException::class);
        (new Coupon('ALL', 101))->apply(100);
    }
}
`,

  'c/ring.c': `#include "ring.h"

int ring_push(ring_t *ring, int value) {
  if (ring->count == RING_SIZE) return -1;
  ring->items[(ring->head + ring->count) % RING_SIZE] = value;
  ring->count += 1;
  return 0;
}

int ring_pop(ring_t *ring, int *value) {
  if (ring->count == 0) return -1;
  *value = ring->items[ring->head];
  ring->head = (ring->head + 1) % RING_SIZE;
  ring->count -= 1;
  return 0;
}
`,
  'c/ring.h':
    '#define RING_SIZE 8\ntypedef struct { int items[RING_SIZE]; int head; int count; } ring_t;\nint ring_push(ring_t *ring, int value);\nint ring_pop(ring_t *ring, int *value);\n',
  'c/test_ring.c': `#include "unity.h"
#include "ring.h"

void test_pops_what_was_pushed(void) {
  ring_t ring = {0};
  int value = 0;
  TEST_ASSERT_EQUAL_INT(0, ring_push(&ring, 7));
  TEST_ASSERT_EQUAL_INT(0, ring_pop(&ring, &value));
  TEST_ASSERT_EQUAL_INT(7, value);
}

void test_refuses_to_pop_nothing(void) {
  ring_t ring = {0};
  int value = 0;
  TEST_ASSERT_EQUAL_INT(-1, ring_pop(&ring, &value));
}
`,

  'cpp/basket.cpp': `#include "basket.hpp"

#include <numeric>
#include <stdexcept>

int Basket::total() const {
  return std::accumulate(items_.begin(), items_.end(), 0);
}

void Basket::put(int cents) {
  if (cents <= 0) {
    throw std::invalid_argument("cents must be positive");
  }
  items_.push_back(cents);
}
`,
  'cpp/basket.hpp':
    '#include <vector>\n\nclass Basket {\n public:\n  int total() const;\n  void put(int cents);\n\n private:\n  std::vector<int> items_;\n};\n',
  'cpp/basket_test.cpp': `#include <gtest/gtest.h>

#include "basket.hpp"

TEST(Basket, AddsUp) {
  Basket basket;
  basket.put(5);
  basket.put(7);
  EXPECT_EQ(basket.total(), 12);
}

TEST(Basket, TakesOnlyWhatCosts) {
  Basket basket;
  EXPECT_THROW(basket.put(0), std::invalid_argument);
}
`,

  'cs/Shop/Parcel.cs': `namespace Shop;

public class Parcel
{
    public int Grams { get; init; }

    public int Postage(string country)
    {
        if (Grams <= 0)
        {
            throw new ArgumentOutOfRangeException(nameof(Grams));
        }
        var zone = country == "DE" ? 1 : 3;
        return zone * (Grams / 100 + 1) * 25;
    }

    public bool FitsThroughSlot(int millimetres)
    {
        return Grams < 500 && millimetres <= 30;
    }
}
`,
  'cs/Shop.Tests/ParcelTests.cs': `using Xunit;

namespace Shop.Tests;

public class ParcelTests
{
    [Fact]
    public void CostsByWeight()
    {
        Assert.Equal(50, new Parcel { Grams = 100 }.Postage("DE"));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    public void RefusesNoWeight(int grams)
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => new Parcel { Grams = grams }.Postage("DE"));
    }

    [Fact]
    public void FitsWhenThin()
    {
        Assert.True(new Parcel { Grams = 100 }.FitsThroughSlot(20));
        Assert.False(new Parcel { Grams = 100 }.FitsThroughSlot(40));
    }
}
`,
};
