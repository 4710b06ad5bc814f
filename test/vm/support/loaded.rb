# frozen_string_literal: true

# To be loaded again and again.
CodeTest.tick
